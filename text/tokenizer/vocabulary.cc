#include "text/tokenizer/vocabulary.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace switchboard::text {

absl::Status Vocabulary::Add(int64_t id, absl::string_view text, absl::string_view bytes) {
  if (id < 0 || id >= kMaxVocabulary) {
    return absl::InvalidArgumentError(absl::StrCat("token ", Quoted(text), " has id ", id,
                                                   "; ids lie in 0..", kMaxVocabulary - 1));
  }
  if (Has(static_cast<int32_t>(id))) {
    return absl::InvalidArgumentError(absl::StrCat("id ", id, " belongs to both ",
                                                   Quoted(Text(static_cast<int32_t>(id))), " and ",
                                                   Quoted(text)));
  }
  const auto [known, is_new] = ids_.try_emplace(std::string(text), static_cast<int32_t>(id));
  if (!is_new) {
    return absl::InvalidArgumentError(
        absl::StrCat("token ", Quoted(text), " has two ids, ", known->second, " and ", id));
  }
  const size_t index = static_cast<size_t>(id);
  if (index >= tokens_.size()) tokens_.resize(index + 1);
  tokens_[index] = {std::string(text), std::string(bytes), true, false};
  return absl::OkStatus();
}

void Vocabulary::MarkSpecial(int32_t id) {
  CHECK(Has(id));
  tokens_[static_cast<size_t>(id)].special = true;
}

const Vocabulary::Token* Vocabulary::Get(int32_t id) const {
  if (id < 0 || id >= size()) return nullptr;
  const Token& token = tokens_[static_cast<size_t>(id)];
  return token.defined ? &token : nullptr;
}

absl::optional<int32_t> Vocabulary::Find(absl::string_view text) const {
  const auto found = ids_.find(text);
  if (found == ids_.end()) return absl::nullopt;
  return found->second;
}

absl::string_view Vocabulary::Text(int32_t id) const {
  const Token* token = Get(id);
  return token == nullptr ? absl::string_view() : token->text;
}

absl::string_view Vocabulary::Bytes(int32_t id) const {
  const Token* token = Get(id);
  return token == nullptr ? absl::string_view() : token->bytes;
}

bool Vocabulary::IsSpecial(int32_t id) const {
  const Token* token = Get(id);
  return token != nullptr && token->special;
}

std::string Quoted(absl::string_view text) {
  constexpr size_t kShown = 60;
  const bool cut = text.size() > kShown;
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kShown)), cut ? "..." : "", "\"");
}

}  // namespace switchboard::text
