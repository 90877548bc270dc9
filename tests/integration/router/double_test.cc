// The double itself: what it promises, measurements and tests rely on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "rpc/channel.h"
#include "tests/double/card.h"
#include "tests/double/faults.h"
#include "tests/integration/router/harness.h"
#include "tests/support/status_matchers.h"
#include "text/marked_text.h"
#include "text/tokenizer/tokenizer.h"

namespace switchboard::router {
namespace {

using ::testing::ElementsAre;

TEST(DoubleTest, StampsAreTensOfMicrosecondsWithinTheSecond) {
  EXPECT_EQ(doubles::StampAt(absl::UnixEpoch()), 256);
  EXPECT_EQ(doubles::StampAt(absl::FromUnixMicros(7'000'019)), 257);
  EXPECT_EQ(doubles::StampAt(absl::FromUnixMicros(1'999'999)), 256 + 99'999);
}

TEST(DoubleTest, ItsTokenizerReadsBytesAndWritesStamps) {
  const auto tokenizer = text::Tokenizer::FromJson(doubles::TokenizerJson());
  ASSERT_THAT(tokenizer, IsOk());
  EXPECT_EQ((*tokenizer)->vocab_size(), doubles::kVocabulary);
  EXPECT_THAT((*tokenizer)->Encode(text::MarkedText::Data("a \xC3\xA9"), false),
              ElementsAre(97, 32, 0xC3, 0xA9));
  EXPECT_EQ((*tokenizer)->Decode({256 + 42, 256 + 99'999}, false), "@00042@99999");
}

TEST(DoubleTest, TokensComeNoFasterThanOneEachSeedMicroseconds) {
  auto worker = doubles::DoubleWorker::Start({});
  ASSERT_THAT(worker, IsOk());
  const auto stub = v1::Inference::NewStub(rpc::MakeChannel((*worker)->address()));
  const absl::Duration start = SystemClock().Monotonic();
  Call call(stub.get(), RequestFor("hello", 20, 5000));
  EXPECT_THAT(call.Finish().status, IsOk());
  EXPECT_GE(SystemClock().Monotonic() - start, absl::Milliseconds(100));
  const std::vector<int32_t>& stamps = call.seen().tokens[0];
  ASSERT_EQ(stamps.size(), 20u);
  for (const int32_t stamp : stamps) {
    EXPECT_GE(stamp, doubles::kFirstStamp);
    EXPECT_LT(stamp, doubles::kEndOfText);
  }
}

TEST(DoubleTest, WordsInThePromptAreFaults) {
  const auto faults_of = [](const std::string& text) {
    std::vector<int32_t> ids;
    for (const char byte : text) ids.push_back(static_cast<unsigned char>(byte));
    return doubles::FaultsOf(ids, {});
  };
  EXPECT_EQ(faults_of("x [[die-after 3]] y").die_after, 3);
  EXPECT_EQ(faults_of("[[refuse unavailable]]").refuse, absl::StatusCode::kUnavailable);
  EXPECT_TRUE(faults_of("[[hang]]").hang);
  EXPECT_EQ(faults_of("[[break-after 1]][[gap-after 2]]").gap_after, 2);
  EXPECT_FALSE(faults_of("[[break-after x]]").break_after.has_value());
  EXPECT_FALSE(faults_of("[[unknown 1]] [[hang").hang);
}

TEST(DoubleTest, PlacesAreTakenInOrderAndTheQueueIsBounded) {
  doubles::Load load(2, 1);
  std::string order;
  const auto start = [&order](const char* name) { return [&order, name] { order += name; }; };
  EXPECT_THAT(load.Enter(1, 2, start("a")), IsOk());
  EXPECT_THAT(load.Enter(2, 1, start("b")), IsOk());
  EXPECT_EQ(load.Enter(3, 1, start("c")).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(order, "a");
  EXPECT_EQ(load.counts().waiting, 1);
  load.Leave(1);
  EXPECT_EQ(order, "ab");
  load.Leave(2);
  load.Leave(3);
  EXPECT_EQ(load.counts().running, 0);
  EXPECT_EQ(load.counts().ended, 2);
}

}  // namespace
}  // namespace switchboard::router
