// Model cards by fingerprint, fetched from workers when they are first asked for.
#ifndef SWITCHBOARD_ROUTER_SERVICE_CARD_CACHE_H_
#define SWITCHBOARD_ROUTER_SERVICE_CARD_CACHE_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "switchboard/v1/inference.grpc.pb.h"

namespace switchboard::router {

// A card may hold a tokenizer of 20 MB: the eight that were fetched last are kept. Thread-safe.
class CardCache {
 public:
  using Card = std::shared_ptr<const v1::ModelCard>;  // immutable
  using Receiver = std::function<void(absl::StatusOr<Card>)>;

  // Calls `receiver` once, now or from a gRPC thread, with the card of `fingerprint`; it is fetched
  // from `worker`, which knows it as `model`, when it is not here. The cache and the stub must
  // outlive the call.
  void Get(const std::string& fingerprint, absl::string_view model, v1::Inference::Stub* worker,
           Receiver receiver) EXCLUDES(mutex_);

 private:
  struct Fetch;

  Card Find(absl::string_view fingerprint) EXCLUDES(mutex_);
  void Keep(Card card) EXCLUDES(mutex_);

  Mutex mutex_;
  std::deque<Card> cards_ GUARDED_BY(mutex_);  // newest first
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_SERVICE_CARD_CACHE_H_
