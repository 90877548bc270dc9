// The gateway's way to the routers: which of them gets a call, and what happens when one is gone.
#ifndef SWITCHBOARD_GATEWAY_UPSTREAM_ROUTER_CLIENT_H_
#define SWITCHBOARD_GATEWAY_UPSTREAM_ROUTER_CLIENT_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "gateway/models/generation.h"
#include "gateway/models/model_card.h"
#include "rpc/address.h"

namespace switchboard::gateway {

// Calls go round the routers. One that is unavailable, or does not know the model, hands the call
// to the next as long as nothing was accepted; that is the only retry. Thread-safe. Generations may
// outlive the client.
class RouterClient final : public Generator, public CardSource {
 public:
  // `routers`: at least one. `clock` is borrowed and must outlive the client and its generations.
  RouterClient(absl::Span<const rpc::Address> routers, const Clock* clock);
  ~RouterClient() override;
  RouterClient(const RouterClient&) = delete;
  RouterClient& operator=(const RouterClient&) = delete;

  std::unique_ptr<Generation> Start(const GenerateCall& call, absl::Time deadline) override;
  // What any of the routers has, each name once: where they differ, the first of them counts. An
  // error only when all of them fail.
  absl::StatusOr<std::vector<ModelName>> ListModels() override EXCLUDES(mutex_);
  absl::StatusOr<ModelCard> GetModelCard(const std::string& name) override EXCLUDES(mutex_);
  void CancelLooks() override EXCLUDES(mutex_);

 private:
  struct Router;
  using Routers = std::vector<std::shared_ptr<Router>>;

  class Call;
  class Look;

  // All routers, the one whose turn it is first.
  Routers InOrder();

  const Clock& clock_;
  const Routers routers_;
  std::atomic<size_t> turn_{0};

  Mutex mutex_;
  bool looks_cancelled_ GUARDED_BY(mutex_) = false;
  std::vector<Look*> looks_ GUARDED_BY(mutex_);  // under way
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_UPSTREAM_ROUTER_CLIENT_H_
