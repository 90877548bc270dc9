// Counts judgements and prints them: a line per failure, a line per skip, the totals last.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_REPORT_H_
#define SWITCHBOARD_TOOLS_GOLDEN_REPORT_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace switchboard::golden {

// Not thread-safe. Prints to stdout.
class Report {
 public:
  void Pass() { ++passed_; }
  // Prints `FAIL NAME: why`.
  void Fail(absl::string_view name, absl::string_view why);
  // Prints `skip NAME reason`: for what the program cannot do yet.
  void Skip(absl::string_view name, absl::string_view reason);
  // Prints a line that judges nothing.
  void Note(absl::string_view line);
  // Pass when `status` is OK, else Fail with its message.
  void Judge(absl::string_view name, const absl::Status& status);

  // Prints `N passed, N failed, N skipped` and returns the exit code: 0 when nothing failed and
  // something passed; with `strict`, a skip counts as a failure.
  int Close(bool strict) const;

 private:
  int passed_ = 0, failed_ = 0, skipped_ = 0;
};

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_REPORT_H_
