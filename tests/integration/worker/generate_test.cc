// Generate calls of text: errors, cancels and slow readers.
#include <gtest/gtest.h>

#include "tests/integration/worker/harness.h"
#include "tests/support/status_matchers.h"

namespace switchboard::worker {
namespace {

using testing::HasSubstr;

TEST(Generate, StreamsTheTokensAskedFor) {
  Worker worker;
  const End end = Call(worker.stub(), TextRequest(300)).Finish();
  EXPECT_THAT(end.status, IsOk());
  EXPECT_EQ(end.tokens.size(), 300u);
}

TEST(Generate, RefusesAPromptMadeForAnotherModel) {
  Worker worker;
  v1::GenerateRequest request = TextRequest(1);
  request.set_fingerprint("f2");
  EXPECT_THAT(Call(worker.stub(), request).Finish().status,
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("f2")));
  request = TextRequest(1);
  request.set_model("other");
  EXPECT_THAT(Call(worker.stub(), request).Finish().status,
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("other")));
}

TEST(Generate, StopsComputingWhenTheClientLeaves) {
  Worker worker;
  Call call(worker.stub(), TextRequest(8000));
  ASSERT_TRUE(call.Next().has_value());
  call.Cancel();
  EXPECT_THAT(call.Finish().status, StatusIs(absl::StatusCode::kCancelled, testing::_));
  EXPECT_TRUE(Eventually([&] {
    const engine::EngineStats stats = worker.engine().Stats();
    return stats.running == 0 && stats.kv_pages_used == 0;
  }));
}

TEST(Generate, HoldsAReaderThatIsSlowAndLosesNothing) {
  Worker worker;
  v1::GenerateRequest request = TextRequest(4000);
  request.mutable_sampling()->set_logprobs(true);
  request.mutable_sampling()->set_top_logprobs(20);
  Call slow(worker.stub(), request);
  ASSERT_TRUE(slow.Next().has_value());
  // The engine has nothing to do, although the answer is far from its end: it is held.
  EXPECT_TRUE(Eventually([&] {
    const engine::EngineStats stats = worker.engine().Stats();
    return stats.running == 1 && stats.generated_tokens > 0 && !stats.runnable;
  }));
  EXPECT_LT(worker.engine().Stats().generated_tokens, 4000u);
  EXPECT_EQ(Call(worker.stub(), TextRequest(50)).Finish().tokens.size(), 50u) << "others go on";
  const End end = slow.Finish();
  EXPECT_THAT(end.status, IsOk());
  EXPECT_EQ(end.tokens.size(), 4000u);
}

}  // namespace
}  // namespace switchboard::worker
