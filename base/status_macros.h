// Early return on errors: RETURN_IF_ERROR for absl::Status, ASSIGN_OR_RETURN for absl::StatusOr.
#ifndef SWITCHBOARD_BASE_STATUS_MACROS_H_
#define SWITCHBOARD_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

// Returns from the enclosing function with the status of `expr` unless it is OK.
#define RETURN_IF_ERROR(expr)                                                  \
  do {                                                                         \
    if (absl::Status sb_status_ = (expr); !sb_status_.ok()) return sb_status_; \
  } while (false)

#define SWITCHBOARD_CONCAT_INNER_(a, b) a##b
#define SWITCHBOARD_CONCAT_(a, b) SWITCHBOARD_CONCAT_INNER_(a, b)
#define SWITCHBOARD_ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                                  \
  if (!tmp.ok()) return std::move(tmp).status();      \
  lhs = *std::move(tmp)

// ASSIGN_OR_RETURN(auto x, F()): x is the value of F(), or the function returns F()'s error.
#define ASSIGN_OR_RETURN(lhs, expr) \
  SWITCHBOARD_ASSIGN_OR_RETURN_(SWITCHBOARD_CONCAT_(sb_or_, __LINE__), lhs, expr)

namespace switchboard {

// The same error with `context: ` in front of its message; OK stays OK.
inline absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(context, ": ", status.message()));
}

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_STATUS_MACROS_H_
