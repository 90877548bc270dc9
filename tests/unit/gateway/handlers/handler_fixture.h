// The gateway's handlers around one model and a scripted router, and a reader of their replies.
#ifndef SWITCHBOARD_TESTS_UNIT_GATEWAY_HANDLERS_HANDLER_FIXTURE_H_
#define SWITCHBOARD_TESTS_UNIT_GATEWAY_HANDLERS_HANDLER_FIXTURE_H_

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <utility>

#include "gateway/handlers/api_handler.h"
#include "gateway/handlers/services.h"
#include "tests/support/manual_clock.h"
#include "tests/unit/gateway/byte_card.h"
#include "tests/unit/gateway/handlers/fake_generator.h"

namespace switchboard::gateway {

struct Reply {
  http::Head head;
  std::string body;
  bool ended = false;

  std::string Header(absl::string_view name) const {
    for (const auto& [key, value] : head.headers) {
      if (key == name) return value;
    }
    return "";
  }
};

// Reads to the end of the reply; with `until`, only until the body contains it.
inline Reply ReadReply(http::Exchange* exchange, const std::string& until = "") {
  Reply reply;
  while (!reply.ended && (until.empty() || reply.body.find(until) == std::string::npos)) {
    http::Step step = exchange->Next();
    switch (step.kind) {
      case http::Step::kWait: {
        std::promise<void> woken;
        exchange->NotifyWhenReady([&woken] { woken.set_value(); });
        woken.get_future().wait();
        break;
      }
      case http::Step::kHead:
        reply.head = std::move(step.head);
        break;
      case http::Step::kBody:
        reply.body += step.body;
        break;
      case http::Step::kEnd:
      case http::Step::kAbort:
        reply.ended = true;
    }
  }
  return reply;
}

// Knows "m" with the fingerprint of the moment.
class OneModelSource final : public CardSource {
 public:
  absl::StatusOr<std::vector<ModelName>> ListModels() override {
    if (fingerprint.empty()) return absl::UnavailableError("gone");
    return std::vector<ModelName>{{"m", "root", 1790000000, 1000, fingerprint}};
  }
  absl::StatusOr<ModelCard> GetModelCard(const std::string&) override {
    ModelCard card = ByteCard();
    card.fingerprint = fingerprint;
    return card;
  }

  void CancelLooks() override {}

  // Changed only while no look is under way.
  std::string fingerprint = "f1";
};

class HandlerFixture : public testing::Test {
 protected:
  HandlerFixture() {
    directory_.Start();
    UseKeys(ApiKeys());
  }
  ~HandlerFixture() override { directory_.Stop(); }

  void LookAgain() {
    std::promise<void> done;
    directory_.LookAgain([&done] { done.set_value(); });
    done.get_future().wait();
  }

  void UseKeys(ApiKeys keys) {
    services_.directory = &directory_;
    services_.generator = &generator_;
    services_.pool = &pool_;
    services_.probe = &probe_;
    services_.clock = &clock_;
    services_.draw_seed = [] { return uint64_t{77}; };
    handler_ = std::make_unique<ApiHandler>(&services_, std::move(keys), &registry_);
  }

  static http::Request Post(const std::string& path, const std::string& body) {
    http::Request request;
    request.method = "POST";
    request.path = path;
    request.headers = {{"content-type", "application/json"}};
    request.body = body;
    request.request_id = "r1";
    return request;
  }
  // As the server asks: without the body first.
  std::unique_ptr<http::Exchange> Ask(http::Request request) {
    std::unique_ptr<http::Exchange> refusal = handler_->Refuse(request);
    return refusal != nullptr ? std::move(refusal) : handler_->Start(std::move(request));
  }
  std::unique_ptr<http::Exchange> Chat(const std::string& fields) {
    return handler_->Start(
        Post("/v1/chat/completions",
             R"({"model":"m","messages":[{"role":"user","content":"Hi"}])" + fields + "}"));
  }
  Reply Get(const std::string& path) {
    http::Request request;
    request.method = "GET";
    request.path = path;
    return ReadReply(Ask(std::move(request)).get());
  }

  static Tokens Text(int64_t position, absl::string_view text) {
    Tokens tokens;
    tokens.position = position;
    tokens.ids = Bytes(text);
    return tokens;
  }
  static Finished Stop(int64_t tokens) {
    Finished finished;
    finished.completion_tokens = tokens;
    return finished;
  }

  ManualClock clock_{absl::FromUnixSeconds(1790000000)};
  prometheus::Registry registry_;
  Probe probe_{&registry_};
  FakeGenerator generator_;
  OneModelSource source_;
  Directory directory_{&source_, absl::Hours(1)};
  Services services_;
  TaskPool pool_{2, 100};
  std::unique_ptr<ApiHandler> handler_;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_TESTS_UNIT_GATEWAY_HANDLERS_HANDLER_FIXTURE_H_
