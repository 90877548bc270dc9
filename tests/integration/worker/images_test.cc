// Generate calls with images: decoding apart from gRPC's threads, limits, cancels, stop.
#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <utility>

#include "base/digest.h"
#include "tests/integration/worker/harness.h"
#include "tests/support/status_matchers.h"

namespace switchboard::worker {
namespace {

using testing::HasSubstr;

// Keeps the thread that decodes images busy until Release or the end of its life.
class BusyThread {
 public:
  explicit BusyThread(JobQueue* jobs) {
    auto busy = std::make_shared<std::latch>(1);
    EXPECT_THAT(jobs->Add([busy, release = release_](bool) {
      busy->count_down();
      release->wait();
    }),
                IsOk());
    busy->wait();
  }
  ~BusyThread() { Release(); }
  void Release() {
    if (!std::exchange(released_, true)) release_->count_down();
  }

 private:
  const std::shared_ptr<std::latch> release_ = std::make_shared<std::latch>(1);
  bool released_ = false;
};

TEST(Images, AreDecodedAndTheirMemoryIsGivenBack) {
  Worker worker;
  const End end = Call(worker.stub(), ImageRequest(5)).Finish();
  EXPECT_THAT(end.status, IsOk());
  EXPECT_EQ(end.tokens.size(), 5u);
  EXPECT_TRUE(Eventually([&] { return worker.budget().taken() == 0; }));
}

TEST(Images, DamagedOnesAreRefusedByNumber) {
  Worker worker;
  v1::GenerateRequest request = ImageRequest(5);
  request.mutable_media(0)->set_content("no image");
  request.mutable_media(0)->set_sha256(Sha256Of("no image"));
  EXPECT_THAT(Call(worker.stub(), request).Finish().status,
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("media[0]")));
}

TEST(Images, AreRefusedForAWhileWhenTooManyWait) {
  Worker worker({.max_images_waiting = 1});
  JobQueue& jobs = worker.jobs();
  BusyThread busy(&jobs);
  ASSERT_THAT(jobs.Add([](bool) {}), IsOk());
  const End end = Call(worker.stub(), ImageRequest(5)).Finish();
  EXPECT_THAT(end.status, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("images")));
  EXPECT_EQ(end.retry_after, absl::Seconds(1));
}

TEST(Images, AreRefusedForAWhileWhenTheirMemoryIsTaken) {
  Worker worker({.image_bytes = 1000});
  const absl::StatusOr<ByteBudget::Share> taken = worker.budget().Take(1);
  const End end = Call(worker.stub(), ImageRequest(5)).Finish();
  EXPECT_THAT(end.status, StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("memory")));
  EXPECT_EQ(end.retry_after, absl::Seconds(1));
}

TEST(Images, OfClientsThatLeftWhileWaitingGiveTheirMemoryBack) {
  Worker worker;
  {
    BusyThread busy(&worker.jobs());
    Call call(worker.stub(), ImageRequest(5));
    ASSERT_TRUE(Eventually([&] { return worker.budget().taken() > 0; }));
    call.Cancel();
    EXPECT_THAT(call.Finish().status, StatusIs(absl::StatusCode::kCancelled, testing::_));
  }
  EXPECT_TRUE(Eventually([&] { return worker.budget().taken() == 0; }));
  EXPECT_EQ(Call(worker.stub(), TextRequest(3)).Finish().tokens.size(), 3u);
}

TEST(Images, ThatWaitWhenTheWorkerStopsAreLeftToAnotherWorker) {
  Worker worker;
  BusyThread busy(&worker.jobs());
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 3; ++i) {
    const int64_t before = worker.budget().taken();
    calls.push_back(std::make_unique<Call>(worker.stub(), ImageRequest(5)));
    ASSERT_TRUE(Eventually([&] { return worker.budget().taken() > before; }));
  }
  // Called when Stop drops the jobs: the running one may end now.
  ASSERT_THAT(worker.jobs().Add([&](bool) { busy.Release(); }), IsOk());
  worker.Stop();
  for (const auto& call : calls) {
    EXPECT_THAT(call->Finish().status,
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stopping")));
  }
}

}  // namespace
}  // namespace switchboard::worker
