// Model cards by their versions, fetched from workers when they are first asked for.
#ifndef SWITCHBOARD_ROUTER_SERVICE_CARD_CACHE_H_
#define SWITCHBOARD_ROUTER_SERVICE_CARD_CACHE_H_

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "router/core/worker_table.h"
#include "switchboard/v1/inference.grpc.pb.h"

namespace switchboard::router {

// A card may hold a tokenizer of 20 MB: the eight that were fetched last are kept, and all who ask
// for one while it is fetched wait for the same call. Thread-safe.
class CardCache {
 public:
  using Card = std::shared_ptr<const v1::ModelCard>;  // immutable
  using Receiver = std::function<void(absl::StatusOr<Card>)>;

  // Calls `receiver` once, now or from a gRPC thread, with the card that `model` names by
  // fingerprint and version; it is fetched from `worker` when it is not here. Unavailable when the
  // worker has another one by now, or after Stop. The cache and the stub must outlive the call.
  void Get(const ModelName& model, v1::Inference::Stub* worker, Receiver receiver) EXCLUDES(mutex_);

  // Cancels what is being fetched: its receivers are called soon. Does not block.
  void Stop() EXCLUDES(mutex_);

 private:
  struct Fetch;

  void Finish(const std::string& key, const grpc::Status& status) EXCLUDES(mutex_);
  Card Find(absl::string_view key) const REQUIRES(mutex_);

  Mutex mutex_;
  bool stopped_ GUARDED_BY(mutex_) = false;
  std::deque<std::pair<std::string, Card>> cards_ GUARDED_BY(mutex_);  // newest first
  absl::flat_hash_map<std::string, std::shared_ptr<Fetch>> fetches_ GUARDED_BY(mutex_);
};

}  // namespace switchboard::router

#endif  // SWITCHBOARD_ROUTER_SERVICE_CARD_CACHE_H_
