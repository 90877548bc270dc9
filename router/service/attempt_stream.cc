#include "router/service/attempt_stream.h"

#include <utility>

#include "router/service/convert.h"
#include "rpc/status.h"

namespace switchboard::router {

void AttemptStream::Start(v1::Inference::Stub* stub, const v1::GenerateRequest& request) {
  stub->async()->Generate(&context_, &request, this);
  // Reads are started from outside of reactions: the hold keeps OnDone away until one of them has
  // failed.
  AddHold();
  StartRead(&event_);
  StartCall();
}

void AttemptStream::OnReadDone(bool ok) {
  if (!ok) return RemoveHold();
  const size_t bytes = event_.ByteSizeLong();
  listener_.event(ToStreamEvent(std::move(event_)), bytes);
}

void AttemptStream::OnDone(const grpc::Status& status) {
  const absl::Duration retry_after = rpc::GetRetryAfter(context_).value_or(absl::ZeroDuration());
  // The listener may destroy this, and itself with it.
  const auto ended = std::move(listener_.ended);
  ended(rpc::ToAbsl(status), retry_after);
}

}  // namespace switchboard::router
