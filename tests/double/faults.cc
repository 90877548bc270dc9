#include "tests/double/faults.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace switchboard::doubles {
namespace {

std::string TextOf(absl::Span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) text.push_back(id >= 0 && id < 256 ? static_cast<char>(id) : ' ');
  return text;
}

void Apply(absl::string_view word, absl::string_view argument, Faults* faults) {
  if (word == "hang") {
    faults->hang = true;
    return;
  }
  if (word == "refuse") {
    faults->refuse = CodeByName(std::string(argument));
    return;
  }
  int count = 0;
  if (!absl::SimpleAtoi(argument, &count) || count < 0) return;
  if (word == "hang-after") faults->hang_after = count;
  if (word == "break-after") faults->break_after = count;
  if (word == "fail-after") faults->fail_after = count;
  if (word == "gap-after") faults->gap_after = count;
  if (word == "die-after") faults->die_after = count;
}

}  // namespace

std::optional<absl::StatusCode> CodeByName(const std::string& name) {
  for (int code = 1; code <= 16; ++code) {
    const auto candidate = static_cast<absl::StatusCode>(code);
    if (absl::EqualsIgnoreCase(name, absl::StatusCodeToString(candidate))) return candidate;
  }
  return std::nullopt;
}

Faults FaultsOf(absl::Span<const int32_t> prompt_ids, Faults base) {
  const std::string text = TextOf(prompt_ids);
  for (size_t at = text.find("[["); at != std::string::npos; at = text.find("[[", at + 2)) {
    const size_t end = text.find("]]", at);
    if (end == std::string::npos) break;
    const std::vector<absl::string_view> words = absl::StrSplit(
        absl::string_view(text).substr(at + 2, end - at - 2), absl::MaxSplits(' ', 1));
    Apply(words[0], words.size() > 1 ? words[1] : "", &base);
  }
  return base;
}

}  // namespace switchboard::doubles
