#include "worker/model/memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "worker/model/model.h"

namespace switchboard::model {
namespace {

using testing::HasSubstr;

// 100 bytes a page of 64 tokens; sequences of 640 tokens take 10 pages.
constexpr MemoryNeeds kNeeds = {
    .weights = 5000, .activations = 1000, .kv_page_bytes = 100, .max_positions = 640};

MemoryLimits Limits(int64_t budget) {
  return {.budget = budget, .kv_cache_bytes = 0, .max_model_len = 0, .max_sequences = 4};
}

TEST(MemoryPlanTest, CacheHoldsAllSequencesWhereTheyFit) {
  const auto plan = PlanMemory(kNeeds, Limits(1'000'000));
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->kv_pages, 40);
  EXPECT_EQ(plan->kv_bytes(), 4000);
  EXPECT_EQ(plan->max_model_len, 640);
}

TEST(PagesFor, RoundsUpToPagesOf64Tokens) {
  EXPECT_EQ(PagesFor(0), 0);
  EXPECT_EQ(PagesFor(1), 1);
  EXPECT_EQ(PagesFor(64), 1);
  EXPECT_EQ(PagesFor(65), 2);
}

TEST(MemoryPlanTest, CacheTakesWhatIsLeft) {
  const auto plan = PlanMemory(kNeeds, Limits(5000 + 1000 + 1750));
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->kv_pages, 17);
}

TEST(MemoryPlanTest, CacheSizeMayBeGiven) {
  MemoryLimits limits = Limits(1'000'000);
  limits.kv_cache_bytes = 1234;
  EXPECT_EQ(PlanMemory(kNeeds, limits)->kv_pages, 12);
}

TEST(MemoryPlanTest, SequenceThatDoesNotFitNamesTheFlagAndAValueThatDoes) {
  EXPECT_THAT(
      PlanMemory(kNeeds, Limits(6000 + 950)),
      StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("lower --max-model-len to 576")));
  MemoryLimits limits = Limits(6000 + 950);
  limits.max_model_len = 576;
  EXPECT_THAT(PlanMemory(kNeeds, limits), IsOk());
}

TEST(MemoryPlanTest, SmallGivenCacheNamesItsFlag) {
  MemoryLimits limits = Limits(1'000'000);
  limits.kv_cache_bytes = 950;
  EXPECT_THAT(PlanMemory(kNeeds, limits), StatusIs(absl::StatusCode::kResourceExhausted,
                                                   HasSubstr("or raise --kv-cache-memory")));
}

TEST(MemoryPlanTest, LargeGivenCacheIsToldWhatIsLeft) {
  MemoryLimits limits = Limits(10'000);
  limits.kv_cache_bytes = 4001;
  EXPECT_THAT(PlanMemory(kNeeds, limits),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("--kv-cache-memory 4001 (3.9 KiB) does not fit; at most 4000")));
}

TEST(MemoryPlanTest, WeightsThatDoNotFitAreToldApart) {
  EXPECT_THAT(PlanMemory(kNeeds, Limits(6000)),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("weights (4.9 KiB)")));
}

TEST(MemoryPlanTest, LengthBeyondTheModelIsInvalid) {
  MemoryLimits limits = Limits(1'000'000);
  limits.max_model_len = 641;
  EXPECT_THAT(PlanMemory(kNeeds, limits),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--max-model-len 641 is above the model's own limit of 640")));
}

TEST(MemoryPlanTest, DescribesItselfInHumanUnits) {
  MemoryPlan plan = {.budget = int64_t{12} << 30,
                     .weights = 7 << 20,
                     .activations = 20 << 20,
                     .kv_page_bytes = 1 << 20,
                     .kv_pages = 1536,
                     .max_model_len = 8192};
  EXPECT_EQ(plan.Describe(),
            "weights 7.0 MiB, activations 20.0 MiB, KV cache 1.5 GiB (98304 tokens) of 12.0 GiB");
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(int64_t{3} << 40), "3.0 TiB");
}

TEST(MemoryPlanTest, LogitsAreFloatsOfEverySequence) {
  TextConfig config;
  config.vocab_size = 151552;
  config.hidden_size = 4096;
  EXPECT_EQ(LogitBytes(config, 32), int64_t{4} * 32 * (151552 + 4096));
}

}  // namespace
}  // namespace switchboard::model
