#include "gateway/models/directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <utility>

#include "tests/support/status_matchers.h"
#include "tests/unit/gateway/byte_card.h"
#include "tests/unit/gateway/openai/error_case.h"

namespace switchboard::gateway {
namespace {

using openai::Verdict;

// Changed only while no look is under way.
class FakeSource : public CardSource {
 public:
  absl::StatusOr<std::vector<ModelName>> ListModels() override { return names; }
  absl::StatusOr<ModelCard> GetModelCard(const std::string& name) override {
    ++cards_fetched;
    return card;
  }
  void CancelLooks() override {}

  absl::StatusOr<std::vector<ModelName>> names = std::vector<ModelName>();
  absl::StatusOr<ModelCard> card = ByteCard();
  int cards_fetched = 0;
};

ModelName Name(const char* name, const char* fingerprint) {
  return {name, "root", 1790000000, 1000, fingerprint};
}

class DirectoryTest : public testing::Test {
 protected:
  std::string Find(const std::string& name) {
    return Verdict(FindModel(*directory_.Get(), name).status());
  }

  // Looks in a thread of the directory's, and waits for what it saw.
  void Look() {
    if (!std::exchange(started_, true)) return directory_.Start();
    std::promise<void> done;
    directory_.LookAgain([&done] { done.set_value(); });
    done.get_future().wait();
  }

  FakeSource source_;
  bool started_ = false;
  Directory directory_{&source_, absl::Hours(1)};
};

TEST_F(DirectoryTest, BeforeTheFirstLookTheServerIsStarting) {
  EXPECT_EQ(Find("m"), "503 model_loading -");
}

TEST_F(DirectoryTest, AModelIsFetchedOncePerFingerprint) {
  source_.names = std::vector<ModelName>{Name("m", "f1"), Name("alias", "f1")};
  Look();
  Look();
  EXPECT_EQ(Find("m"), "ok");
  EXPECT_EQ(Find("alias"), "ok");
  EXPECT_EQ(source_.cards_fetched, 1);
}

TEST_F(DirectoryTest, ANewFingerprintReplacesTheModel) {
  source_.names = std::vector<ModelName>{Name("m", "f1")};
  Look();
  source_.names = std::vector<ModelName>{Name("m", "f2")};
  source_.card->fingerprint = "f2";
  Look();
  EXPECT_EQ(FindModel(*directory_.Get(), "m")->model->card().fingerprint, "f2");
}

TEST_F(DirectoryTest, ANewVersionOfTheCardReplacesTheModel) {
  source_.names = std::vector<ModelName>{Name("m", "f1")};
  Look();
  source_.names->front().card_version = "v2";
  source_.card->card_version = "v2";
  source_.card->bos_token = "<new>";
  Look();
  EXPECT_EQ(FindModel(*directory_.Get(), "m")->model->card().bos_token, "<new>");
}

TEST_F(DirectoryTest, UnknownNamesAndMissingNames) {
  source_.names = std::vector<ModelName>{Name("m", "f1"), Name("alias", "f1")};
  Look();
  EXPECT_EQ(Find("other"), "404 model_not_found model");
  // Two names, but one model: no name is needed.
  EXPECT_EQ(FindModel(*directory_.Get(), "")->name, "m");
}

TEST_F(DirectoryTest, WithTwoModelsANameIsNeeded) {
  source_.names = std::vector<ModelName>{Name("m", "f1")};
  Look();
  source_.names = std::vector<ModelName>{Name("m", "f1"), Name("n", "f2")};
  source_.card->fingerprint = "f2";
  Look();
  EXPECT_EQ(Find(""), "400 missing_required_parameter model");
}

TEST_F(DirectoryTest, NothingThereIsUnavailable) {
  source_.names = absl::UnavailableError("connection refused to 10.0.0.1");
  Look();
  EXPECT_EQ(Find("m"), "503 no_healthy_worker -");
  EXPECT_THAT(directory_.Get()->state,
              StatusIs(absl::StatusCode::kUnavailable, "No router can be reached."));
  source_.names = std::vector<ModelName>();
  Look();
  EXPECT_EQ(Find("m"), "503 model_loading -");
}

TEST_F(DirectoryTest, ACardThatCannotBeUsedIsNotFetchedAgain) {
  source_.names = std::vector<ModelName>{Name("m", "f1")};
  source_.card->tokenizer_json = "{";
  Look();
  Look();
  EXPECT_EQ(source_.cards_fetched, 1);
  EXPECT_EQ(Find("m"), "503 no_healthy_worker -");
}

TEST_F(DirectoryTest, AFailedFetchIsTriedAgain) {
  source_.names = std::vector<ModelName>{Name("m", "f1")};
  source_.card = absl::UnavailableError("gone");
  Look();
  EXPECT_EQ(Find("m"), "503 no_healthy_worker -");
  source_.card = ByteCard();
  Look();
  EXPECT_EQ(Find("m"), "ok");
}

TEST_F(DirectoryTest, StartLooksBeforeItReturns) {
  source_.names = std::vector<ModelName>{Name("m", "f1")};
  Directory directory(&source_, absl::Hours(1));
  directory.Start();
  EXPECT_THAT(FindModel(*directory.Get(), "m"), IsOk());
}

// A router that has been silent since the first look.
class SilentSource final : public FakeSource {
 public:
  absl::StatusOr<std::vector<ModelName>> ListModels() override {
    if (!std::exchange(asked_, true)) return names;
    stuck.set_value();
    cancelled_.get_future().wait();
    return absl::CancelledError("cancelled");
  }
  void CancelLooks() override { cancelled_.set_value(); }

  std::promise<void> stuck;

 private:
  bool asked_ = false;
  std::promise<void> cancelled_;
};

TEST_F(DirectoryTest, StoppingCancelsTheLookAndLeavesNobodyWaiting) {
  SilentSource source;
  source.names = std::vector<ModelName>{Name("m", "f1")};
  Directory directory(&source, absl::Hours(1));
  directory.Start();
  std::atomic<int> done = 0;
  directory.LookAgain([&done] { ++done; });
  source.stuck.get_future().wait();
  directory.LookAgain([&done] { ++done; });
  // Requests are not held up.
  EXPECT_THAT(FindModel(*directory.Get(), "m"), IsOk());
  directory.Stop();
  EXPECT_EQ(done, 2);
  directory.LookAgain([&done] { ++done; });
  EXPECT_EQ(done, 3);
  EXPECT_THAT(FindModel(*directory.Get(), "m"), IsOk());
}

}  // namespace
}  // namespace switchboard::gateway
