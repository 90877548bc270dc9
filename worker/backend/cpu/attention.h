// Attention of the CPU back end: how the work is divided; the numbers are in attention_inl.h.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_ATTENTION_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_ATTENTION_H_

#include "worker/backend/cpu/kernels.h"
#include "worker/backend/cpu/kv_pages.h"
#include "worker/backend/cpu/team.h"
#include "worker/backend/memory.h"
#include "worker/backend/ops.h"

namespace switchboard::backend {

// Not thread-safe; borrows the team and the kernels.
class Attention {
 public:
  Attention(Team* team, const Kernels& kernels) : team_(team), kernels_(kernels) {}

  // See Backend::PagedAttention and Backend::FullAttention.
  void Paged(ConstRows qkv, const HeadShape& shape, absl::Span<const SequenceRows> sequences,
             int layer, const CpuKvPages& kv, Rows y);
  void Full(ConstRows qkv, const HeadShape& shape, Rows y);

 private:
  Team* const team_;
  const Kernels& kernels_;
  Scratch partials_;  // states of chunks, where one row's chunks are shared out
  Scratch tiles_;     // keys and values of Full
};

}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_ATTENTION_H_
