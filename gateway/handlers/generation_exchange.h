// Answers one chat or completion request.
#ifndef SWITCHBOARD_GATEWAY_HANDLERS_GENERATION_EXCHANGE_H_
#define SWITCHBOARD_GATEWAY_HANDLERS_GENERATION_EXCHANGE_H_

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "gateway/handlers/answer.h"
#include "gateway/handlers/preparation.h"
#include "gateway/handlers/routes.h"
#include "gateway/handlers/services.h"
#include "gateway/models/generation.h"
#include "http/message.h"

namespace switchboard::gateway {

// The head of a stream goes out when the worker has accepted the request, so everything that can be
// refused has a status of its own. One event of the generation is turned into bytes at a time, and
// only when the connection asks: a slow reader slows the worker down, not the gateway's memory.
class GenerationExchange final : public http::Exchange {
 public:
  // `services` must outlive the exchange. `endpoint` is kChat or kCompletions.
  GenerationExchange(Endpoint endpoint, http::Request request, const Services* services);
  ~GenerationExchange() override;

  http::Step Next() override;
  void NotifyWhenReady(std::function<void()> wake) override;
  // 503 shutting_down, as a reply or as the last event of a stream.
  void EndEarly() override;

 private:
  // Moves on by one event; false when there is none yet.
  bool Advance();
  void On(Begun begun);
  void On(const Accepted& accepted);
  void On(const Tokens& tokens);
  void On(const Finished& finished);
  void On(const Ended& ended);

  void Send(absl::StatusOr<Pieces> pieces);
  void Complete();
  void Fail(const absl::Status& status);
  void Push(http::Step::Kind kind, std::string body);
  void PushHead(int status, absl::string_view content_type,
                std::vector<std::pair<std::string, std::string>> headers);
  void Report(int status);

  const Endpoint endpoint_;
  const std::string request_id_;
  const Services& services_;
  const absl::Duration arrived_;

  std::deque<http::Step> steps_;
  // Until the worker has accepted the request: it may have to be prepared again.
  std::shared_ptr<Preparation> preparation_;
  bool prepared_again_ = false;
  // From then on until the end.
  std::unique_ptr<Generation> generation_;
  std::optional<Answer> answer_;
  std::optional<Probe::Generation> probe_;
  bool streamed_ = false;
  bool accepted_ = false;
  bool head_sent_ = false;
  bool reported_ = false;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_HANDLERS_GENERATION_EXCHANGE_H_
