#include "text/template/budget.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace switchboard::text::jinja {

bool Budget::Spend(size_t steps) {
  const int64_t taken = static_cast<int64_t>(std::min<size_t>(steps, INT64_MAX / 2));
  steps_left_ = std::max<int64_t>(steps_left_ - taken, -1);
  if (steps_left_ < 0) Fail("it takes too many steps");
  return ok();
}

void Budget::Hold(size_t bytes) {
  held_bytes_ += bytes;
  if (held_bytes_ > memory_bytes_) {
    Fail(absl::StrCat("it needs more than ", memory_bytes_, " bytes of memory"));
  }
}

void Budget::Fail(absl::string_view reason) {
  if (failure_.empty()) failure_ = std::string(reason);
}

absl::Status Budget::status() const {
  return ok() ? absl::OkStatus() : absl::InvalidArgumentError(failure_);
}

}  // namespace switchboard::text::jinja
