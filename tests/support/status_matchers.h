// Matchers for absl::Status and absl::StatusOr in tests. There is deliberately none for "some
// error": a test says which one.
#ifndef SWITCHBOARD_TESTS_SUPPORT_STATUS_MATCHERS_H_
#define SWITCHBOARD_TESTS_SUPPORT_STATUS_MATCHERS_H_

#include <gmock/gmock.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace switchboard {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& result) {
  return result.status();
}

// EXPECT_THAT(F(), IsOk())
MATCHER(IsOk, "is OK") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

// EXPECT_THAT(F(), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("top_p")))
MATCHER_P2(StatusIs, code, message, "") {
  *result_listener << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code &&
         testing::ExplainMatchResult(message, std::string(StatusOf(arg).message()),
                                     result_listener);
}

}  // namespace switchboard

#endif  // SWITCHBOARD_TESTS_SUPPORT_STATUS_MATCHERS_H_
