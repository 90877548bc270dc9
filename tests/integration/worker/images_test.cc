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

using testing::AllOf;
using testing::HasSubstr;

// Keeps the thread that decodes images busy until Release or the end of its life.
class BusyThread {
 public:
  explicit BusyThread(JobQueue* jobs) {
    auto busy = std::make_shared<std::latch>(1);
    EXPECT_THAT(jobs->Add([busy, release = release_](bool) {
      busy->count_down();
      release->wait();
      return false;
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

v1::GenerateRequest TwoImages() {
  v1::GenerateRequest request = ImageRequest(5);
  v1::MediaItem* second = request.add_media();
  *second = request.media(0);
  second->set_prompt_offset(request.prompt_ids_size());
  for (int i = 0; i < second->tokens(); ++i) request.add_prompt_ids(engine::kImageToken);
  return request;
}

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
  ASSERT_THAT(jobs.Add([](bool) { return false; }), IsOk());
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

TEST(Images, AreDecodedOnePerTurn) {
  Worker worker;
  JobQueue& jobs = worker.jobs();
  BusyThread busy(&jobs);
  Call call(worker.stub(), TwoImages());
  ASSERT_TRUE(Eventually([&] { return jobs.unfinished() == 2; }));
  std::latch begun(1), release(1);
  ASSERT_THAT(jobs.Add([&](bool) {
    begun.count_down();
    release.wait();
    return false;
  }),
              IsOk());
  busy.Release();
  begun.wait();
  EXPECT_EQ(jobs.unfinished(), 2) << "the second image waits behind this job";
  EXPECT_EQ(worker.engine().Stats().waiting, 0);
  release.count_down();
  EXPECT_THAT(call.Finish().status, IsOk());
}

TEST(Images, CountAsWaitingUntilTheyAreDecoded) {
  Worker worker;
  BusyThread busy(&worker.jobs());
  const int before = worker.Report().waiting();
  Call call(worker.stub(), ImageRequest(5));
  EXPECT_TRUE(Eventually([&] { return worker.Report().waiting() == before + 1; }));
  busy.Release();
  EXPECT_THAT(call.Finish().status, IsOk());
  EXPECT_TRUE(Eventually([&] { return worker.Report().waiting() == 0; }));
}

TEST(Images, WithTooManyPixelsAreRefusedBeforeAnyIsDecoded) {
  Worker worker;
  const BusyThread busy(&worker.jobs());
  v1::GenerateRequest request = TwoImages();
  for (v1::MediaItem& item : *request.mutable_media()) {  // 10000 x 9000 in the header
    item.mutable_content()->replace(16, 8, std::string("\0\0\x27\x10\0\0\x23\x28", 8));
  }
  EXPECT_THAT(
      Call(worker.stub(), request).Finish().status,
      StatusIs(absl::StatusCode::kInvalidArgument,
               AllOf(HasSubstr("media[1]"), HasSubstr("180000000"), HasSubstr("178956970"))));
  EXPECT_EQ(worker.budget().taken(), 0);
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
  ASSERT_THAT(worker.jobs().Add([&](bool) {
    busy.Release();
    return false;
  }),
              IsOk());
  worker.Stop();
  for (const auto& call : calls) {
    EXPECT_THAT(call->Finish().status,
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stopping")));
  }
}

}  // namespace
}  // namespace switchboard::worker
