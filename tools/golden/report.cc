#include "tools/golden/report.h"

#include <cstdio>
#include <string>

namespace switchboard::golden {

void Report::Fail(absl::string_view name, absl::string_view why) {
  ++failed_;
  std::printf("FAIL %s: %s\n", std::string(name).c_str(), std::string(why).c_str());
}

void Report::Skip(absl::string_view name, absl::string_view reason) {
  ++skipped_;
  std::printf("skip %s %s\n", std::string(name).c_str(), std::string(reason).c_str());
}

void Report::Note(absl::string_view line) { std::printf("%s\n", std::string(line).c_str()); }

void Report::Judge(absl::string_view name, const absl::Status& status) {
  if (status.ok()) {
    Pass();
  } else {
    Fail(name, status.message());
  }
}

int Report::Close(bool strict) const {
  std::printf("%d passed, %d failed, %d skipped\n", passed_, failed_, skipped_);
  const bool good = failed_ == 0 && passed_ > 0 && !(strict && skipped_ > 0);
  return good ? 0 : 1;
}

}  // namespace switchboard::golden
