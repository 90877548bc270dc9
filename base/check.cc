#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace switchboard::internal {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "[FATAL] %s:%d: check failed: %s\n", file, line, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace switchboard::internal
