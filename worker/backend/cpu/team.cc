// A job is announced by a new generation and finished when the count of unfinished members is zero.
// Waiting spins first (the next op of a forward pass comes within microseconds), then yields
// (somebody else may need this processor), then sleeps on a futex (an idle worker costs nothing).
#include "worker/backend/cpu/team.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "base/check.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace switchboard::backend {
namespace {

// Below this many operations (some 35 us) handing a job over gains little, and costs much on a busy
// machine.
constexpr int64_t kSharedCost = 500'000;
constexpr int kSpins = 300;   // about 5 us
constexpr int kYields = 200;  // some 50 us more

// Flush-to-zero and denormals-are-zero for a scope; the caller's own setting returns after it.
class FlushSubnormals {
 public:
#if defined(__x86_64__)
  FlushSubnormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x8040u); }
  ~FlushSubnormals() { _mm_setcsr(saved_); }

 private:
  const unsigned saved_;
#endif
};

void Relax() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// Returns when `value` is no longer `old`.
void AwaitChange(const std::atomic<uint32_t>& value, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    Relax();
  }
  for (int i = 0; i < kYields; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

// The processors that the cgroup's quota pays for, or a large number.
int QuotaProcessors() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 1 << 20;
  return static_cast<int>(std::strtod(quota.c_str(), nullptr) / period);
}

}  // namespace

int UsableProcessors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int count =
      ::sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  return std::max(1, std::min(count, QuotaProcessors()));
}

Team::Team(int members) {
  CHECK(members >= 1);
  for (int i = 1; i < members; ++i) threads_.emplace_back([this, i] { Serve(i); });
}

Team::~Team() {
  stopping_.store(true, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Team::Run(int64_t units, int64_t cost, Work work) {
  FlushSubnormals flush;
  if (threads_.empty() || units < 2 || cost < kSharedCost) {
    if (units > 0) work(0, units);
    return;
  }
  work_ = &work;
  units_ = units;
  unfinished_.store(static_cast<uint32_t>(threads_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  work(0, units / members());
  for (uint32_t left = unfinished_.load(std::memory_order_acquire); left != 0;
       left = unfinished_.load(std::memory_order_acquire)) {
    AwaitChange(unfinished_, left);
  }
}

void Team::Serve(int member) {
  FlushSubnormals flush;
  uint32_t seen = 0;
  for (;;) {
    AwaitChange(generation_, seen);
    seen = generation_.load(std::memory_order_acquire);
    if (stopping_.load(std::memory_order_relaxed)) return;
    const int64_t begin = units_ * member / members();
    const int64_t end = units_ * (member + 1) / members();
    if (begin < end) (*work_)(begin, end);
    unfinished_.fetch_sub(1, std::memory_order_acq_rel);
    unfinished_.notify_one();
  }
}

}  // namespace switchboard::backend
