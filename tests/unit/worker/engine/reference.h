// What the engine must answer, found the plain way: one sequence, no pages, no batch, its own
// sampler that sorts the whole vocabulary and uses the C library's logarithm.
#ifndef SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_REFERENCE_H_
#define SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_REFERENCE_H_

#include <cstdint>
#include <ostream>
#include <vector>

#include "worker/engine/request.h"

namespace switchboard::engine {

// One choice's answer.
struct Answer {
  std::vector<int32_t> ids;
  FinishedEvent::Reason reason = FinishedEvent::kStop;
  int32_t stop_token_id = -1;
  bool stop_token_requested = false;
  int32_t completion_tokens = 0;

  friend bool operator==(const Answer&, const Answer&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Answer& answer);
};

// The answers of all choices of a request to FakeModel.
std::vector<Answer> ReferenceAnswers(const Request& request, int max_model_len,
                                     const std::vector<int32_t>& eos_token_ids);

}  // namespace switchboard::engine

#endif  // SWITCHBOARD_TESTS_UNIT_WORKER_ENGINE_REFERENCE_H_
