#include "gateway/openai/stream_chunk.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace switchboard::openai {

ChunkMaker::ChunkMaker(absl::string_view object, ReplyIdentity identity,
                       const ReplyOptions& options)
    : object_(object),
      identity_(std::move(identity)),
      include_usage_(options.include_usage),
      continuous_usage_(options.continuous_usage) {}

std::string ChunkMaker::Choice(JsonObject choice, const Usage& usage,
                               const JsonObject& more) const {
  JsonArray choices;
  choices.push_back(std::move(choice));
  if (continuous_usage_) {
    const Json running = UsageJson(usage);
    return Event(std::move(choices), &running, more);
  }
  const Json null;
  return Event(std::move(choices), include_usage_ ? &null : nullptr, more);
}

std::string ChunkMaker::End(const Usage& usage) const {
  if (!include_usage_) return kSseDone;
  const Json total = UsageJson(usage);
  return absl::StrCat(Event(JsonArray(), &total, JsonObject()), kSseDone);
}

std::string ChunkMaker::Event(JsonArray choices, const Json* usage, const JsonObject& more) const {
  JsonObject chunk{{"id", identity_.id},
                   {"object", object_},
                   {"created", identity_.created},
                   {"model", identity_.model},
                   {"system_fingerprint", identity_.system_fingerprint},
                   {"choices", std::move(choices)}};
  if (usage != nullptr) chunk["usage"] = *usage;
  for (const auto& [key, value] : more) chunk[key] = value;
  return SseEvent(SerializeJson(chunk));
}

}  // namespace switchboard::openai
