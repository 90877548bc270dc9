// CHECK: invariants of our own code. A failed check prints where and what, then aborts; it is never
// used for input from outside, which gets an absl::Status instead.
#ifndef SWITCHBOARD_BASE_CHECK_H_
#define SWITCHBOARD_BASE_CHECK_H_

namespace switchboard::internal {

// Writes one line to stderr and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace switchboard::internal

#define CHECK(condition)        \
  (static_cast<bool>(condition) \
       ? void()                 \
       : ::switchboard::internal::CheckFailed(__FILE__, __LINE__, #condition))

// Like CHECK, compiled away in release builds: for loops where the test would cost.
#ifdef NDEBUG
#define DCHECK(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#else
#define DCHECK(condition) CHECK(condition)
#endif

#endif  // SWITCHBOARD_BASE_CHECK_H_
