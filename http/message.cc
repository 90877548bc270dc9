#include "http/message.h"

#include "base/check.h"

namespace switchboard::http {
namespace {

// Says head, body, end; never waits.
class FixedReply : public Exchange {
 public:
  FixedReply(Head head, std::string body) : head_(std::move(head)), body_(std::move(body)) {}

  Step Next() override {
    Step step;
    switch (said_++) {
      case 0:
        step.kind = Step::kHead;
        step.head = std::move(head_);
        break;
      case 1:
        step.kind = Step::kBody;
        step.body = std::move(body_);
        break;
      default:
        step.kind = Step::kEnd;
    }
    return step;
  }

  void NotifyWhenReady(std::function<void()> wake) override { wake(); }

 private:
  Head head_;
  std::string body_;
  int said_ = 0;
};

}  // namespace

absl::string_view Request::Header(absl::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::unique_ptr<Exchange> ReplyWith(Head head, std::string body) {
  CHECK(!head.streamed);
  return std::make_unique<FixedReply>(std::move(head), std::move(body));
}

}  // namespace switchboard::http
