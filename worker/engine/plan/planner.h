// Decides what the engine does in one step. Pure: the same input gives the same plan.
#ifndef SWITCHBOARD_WORKER_ENGINE_PLAN_PLANNER_H_
#define SWITCHBOARD_WORKER_ENGINE_PLAN_PLANNER_H_

#include "worker/engine/plan/plan.h"

namespace switchboard::engine {

// Turns for which a held back sequence may keep its pages although others wait for them. Computing
// it anew costs many turns, so a short pause of its reader must not take them away.
inline constexpr int kPatience = 100;

// Growth: each running sequence that can go on gets pages for its known tokens, oldest first. When
// none is free, one is preempted (computed anew later): the youngest held back one, else the
// youngest, perhaps the one in need itself. So the oldest always goes on.
//
// Slices under the token budget: first one token for each sequence that is one token behind
// (decode), then the others (prefill), oldest first, as far as budget and encoded images allow.
//
// Admission in order of arrival, never past one that does not fit: it needs a place in max_running,
// pages for all its known tokens, and beside them one page for each sequence that can still grow,
// so that decodes do not preempt at once. Nothing is admitted in a step that preempts. Slow readers
// do not hold up the others for ever: when the first waiting sequence does not fit, a held back one
// gives way if all are held back, or if it has been for kPatience turns.
//
// Images: the oldest sequence that has one to encode gets a vision block.
//
// An empty plan means that nothing can be done before something changes outside. REQUIRES: each
// sequence fits into the pages when it is alone; max_batched_tokens >= max_running.
Plan PlanStep(const PlanInput& input, const PlanLimits& limits);

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_WORKER_ENGINE_PLAN_PLANNER_H_
