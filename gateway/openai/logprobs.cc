#include "gateway/openai/logprobs.h"

#include <algorithm>
#include <utility>

namespace switchboard::openai {
namespace {

// JSON has no infinity; OpenAI writes this for a token that cannot occur.
constexpr double kLeastLogprob = -9999.0;

// Adding 0 turns -0 into 0.
double Shown(float logprob) { return std::max<double>(logprob, kLeastLogprob) + 0.0; }

Json Bytes(const std::optional<std::string>& text) {
  if (!text.has_value()) return nullptr;
  const std::string& bytes = *text;
  JsonArray out;
  out.reserve(bytes.size());
  for (char c : bytes) out.push_back(static_cast<int64_t>(static_cast<unsigned char>(c)));
  return out;
}

JsonObject ChatToken(const TokenLogprob& token) {
  return {{"token", token.token}, {"logprob", Shown(token.logprob)}, {"bytes", Bytes(token.bytes)}};
}

// Bytes that begin a code point.
int64_t CodePoints(const std::string& bytes) {
  return std::count_if(bytes.begin(), bytes.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

// Of tokens with the same text the likelier one counts.
void Offer(const TokenLogprob& token, JsonObject* top) {
  const double logprob = Shown(token.logprob);
  const auto [place, inserted] = top->emplace(token.token, logprob);
  if (!inserted && place->value().get_double() < logprob) place->value() = logprob;
}

}  // namespace

Json ChatLogprobs(absl::Span<const LogprobEntry> entries) {
  JsonArray content;
  content.reserve(entries.size());
  for (const LogprobEntry& entry : entries) {
    JsonObject object = ChatToken(entry.chosen);
    JsonArray top;
    for (const TokenLogprob& token : entry.top) top.push_back(ChatToken(token));
    object["top_logprobs"] = std::move(top);
    content.push_back(std::move(object));
  }
  return JsonObject{{"content", std::move(content)}, {"refusal", nullptr}};
}

JsonObject CompletionLogprobs::Next(absl::Span<const LogprobEntry> entries) {
  JsonArray tokens, token_logprobs, top_logprobs, text_offset;
  for (const LogprobEntry& entry : entries) {
    tokens.push_back(Json(entry.chosen.token));
    token_logprobs.push_back(Shown(entry.chosen.logprob));
    JsonObject top;
    for (const TokenLogprob& token : entry.top) Offer(token, &top);
    Offer(entry.chosen, &top);
    top_logprobs.push_back(std::move(top));
    text_offset.push_back(offset_);
    offset_ += CodePoints(entry.chosen.bytes.value_or(""));
  }
  return {{"tokens", std::move(tokens)},
          {"token_logprobs", std::move(token_logprobs)},
          {"top_logprobs", std::move(top_logprobs)},
          {"text_offset", std::move(text_offset)}};
}

}  // namespace switchboard::openai
