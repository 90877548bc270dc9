// What one rendering may still use up: steps of work, bytes of memory. A template, or what a client
// feeds into it, may ask for anything (`'x' * 10**9`, a macro that doubles a string); this is where
// it ends.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_BUDGET_H_
#define SWITCHBOARD_TEXT_TEMPLATE_BUDGET_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace switchboard::text {

// How much a template may ask for. The defaults are far above what real templates need: a
// conversation of a thousand turns takes about 100,000 steps.
struct TemplateLimits {
  size_t source_bytes = size_t{1} << 20;
  // Syntax nodes visited, items walked, pieces of text made, and more for long texts. A few
  // seconds.
  int64_t steps = 20'000'000;
  // Strings and containers alive at a time, the output included.
  size_t memory_bytes = size_t{256} << 20;
  size_t output_bytes = size_t{64} << 20;
  // Nested evaluations: a macro that calls itself uses about 6 levels per call. The default stays
  // within 2 MiB of stack in a release build.
  int depth = 1000;
};

namespace jinja {

// Nested containers; more is an error. Bounds every recursion over values.
inline constexpr int kMaxValueDepth = 250;

// Not thread-safe; one per rendering, outlives all its values. The first failure stays: who works
// in a loop stops when Spend() says no, and the interpreter reports status() at its next step.
class Budget {
 public:
  explicit Budget(const TemplateLimits& limits)
      : steps_left_(limits.steps), memory_bytes_(limits.memory_bytes) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // Takes `steps`; false when they are used up.
  bool Spend(size_t steps);
  // For a walk over every character of a text, or over its bytes (copying, comparing, searching).
  bool SpendOnCharacters(size_t bytes) { return Spend(1 + bytes / 8); }
  bool SpendOnBytes(size_t bytes) { return Spend(1 + bytes / 64); }
  // Counts memory that comes to life, and that ends.
  void Hold(size_t bytes);
  void Release(size_t bytes) { held_bytes_ -= bytes; }
  void Fail(absl::string_view reason);

  bool ok() const { return failure_.empty(); }
  // InvalidArgument with the first failure, or OK.
  absl::Status status() const;

 private:
  int64_t steps_left_;
  const size_t memory_bytes_;
  size_t held_bytes_ = 0;
  std::string failure_;
};

}  // namespace jinja
}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TEMPLATE_BUDGET_H_
