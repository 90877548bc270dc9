// The steps of one stage of a tokenizer.json, sequences unfolded.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_PIPELINE_STEPS_H_
#define SWITCHBOARD_TEXT_TOKENIZER_PIPELINE_STEPS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "text/tokenizer/json_field.h"

namespace switchboard::text {

inline constexpr size_t kMaxSteps = 64;

// The steps in order: `member` of the file is null, one step, or a Sequence with its steps under
// `children` (which may be sequences again). InvalidArgument when it is malformed, nested deeply or
// has more than kMaxSteps.
absl::StatusOr<std::vector<JsonField>> ReadSteps(const JsonField& file, absl::string_view member,
                                                 absl::string_view children);

absl::Status UnknownType(const JsonField& step, absl::string_view type);

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_PIPELINE_STEPS_H_
