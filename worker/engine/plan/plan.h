// What the planner looks at and what it decides: plain values.
//
// A sequence (one choice of a request) is a row of known tokens: the prompt, then its output. The
// one rule is "computed tokens catch up with known tokens": a prompt, a chunk of it, a generated
// token and a recomputation after preemption are all the same kind of work.
#ifndef SWITCHBOARD_WORKER_ENGINE_PLAN_PLAN_H_
#define SWITCHBOARD_WORKER_ENGINE_PLAN_PLAN_H_

#include <vector>

#include "absl/types/span.h"

namespace switchboard::engine {

// A sequence that holds pages.
struct RunningView {
  int known = 0;            // tokens; more than computed
  int computed = 0;         // tokens whose keys and values are in its pages
  int computable = 0;       // known, or the place of its first image that is not encoded yet
  int limit = 0;            // tokens it can have at most when it ends
  int pages = 0;            // held; cover at least `computed`
  int exclusive_pages = 0;  // of these, the ones that become free when it is preempted
  // Turns since its reader was last ready for more; above 0, nothing may be computed for it.
  int held_turns = 0;
  bool encodes = false;  // it has images that are not encoded yet
};

// A sequence without pages that may be admitted now. Held back ones and those that wait for a
// sibling's prompt are left out by the caller.
struct WaitingView {
  int known = 0;
  int computed = 0;    // tokens that it takes over from a sibling when admitted
  int computable = 0;  // as above
  int limit = 0;
  int shared_pages = 0;  // of its pages, the ones it shares with that sibling
  bool encodes = false;
};

struct PlanLimits {
  int max_running = 0;         // sequences with pages
  int max_batched_tokens = 0;  // tokens of a step; at least max_running
};

struct PlanInput {
  absl::Span<const RunningView> running;  // oldest first
  absl::Span<const WaitingView> waiting;  // oldest first
  int free_pages = 0;
};

// Sequences are numbered through: running ones first, then waiting ones.
struct PlannedSlice {
  int sequence = 0;
  int tokens = 0;  // the next ones after its computed tokens
};

// Carried out in this order.
struct Plan {
  std::vector<int> preempt;  // running sequences that lose their pages and wait again
  int admit = 0;  // so many of the waiting, from the front, get pages for all known tokens
  // One vision block of this sequence's next image is computed; -1: none.
  int encode = -1;
  // What the forward pass computes; pages must be added where the held ones do not suffice. Decodes
  // first.
  std::vector<PlannedSlice> slices;

  bool empty() const { return preempt.empty() && admit == 0 && encode < 0 && slices.empty(); }
};

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_PLAN_PLAN_H_
