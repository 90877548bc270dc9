// What is to go wrong with one request: asked for by words in its prompt, so that it works through
// every layer above, or by the double's options for all requests.
#ifndef SWITCHBOARD_TESTS_DOUBLE_FAULTS_H_
#define SWITCHBOARD_TESTS_DOUBLE_FAULTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace switchboard::doubles {

// Counts are in tokens of one choice.
struct Faults {
  std::optional<absl::StatusCode> refuse;  // instead of Accepted
  bool hang = false;                       // nothing is sent, not even Accepted
  std::optional<int> hang_after;           // nothing is sent any more
  std::optional<int> break_after;          // the stream ends with UNAVAILABLE
  std::optional<int> fail_after;           // the stream ends with INTERNAL
  std::optional<int> gap_after;            // one position is left out
  std::optional<int> die_after;            // the process exits at once, code 42
};

// Reads `[[refuse CODE]]`, `[[hang]]`, `[[hang-after N]]`, `[[break-after N]]`, `[[fail-after N]]`,
// `[[gap-after N]]` and `[[die-after N]]` from the byte tokens of a prompt; what it does not know
// is no fault. `base` are the faults without such words.
Faults FaultsOf(absl::Span<const int32_t> prompt_ids, Faults base);

// A canonical code by its name, in any case.
std::optional<absl::StatusCode> CodeByName(const std::string& name);

}  // namespace switchboard::doubles

#endif  // SWITCHBOARD_TESTS_DOUBLE_FAULTS_H_
