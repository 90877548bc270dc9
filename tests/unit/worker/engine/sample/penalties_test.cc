#include "worker/engine/sample/penalties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace switchboard::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<float> Adjusted(const SamplingParams& params, const std::vector<int32_t>& prompt,
                            const OutputCounts& counts, std::vector<float> logits) {
  AdjustLogits(params, prompt, counts, absl::MakeSpan(logits));
  return logits;
}

TEST(AdjustLogits, ChangesNothingByDefault) {
  EXPECT_FALSE(ChangesLogits(SamplingParams()));
  EXPECT_THAT(Adjusted({}, {}, {{1, 3}}, {1, 2, 3}), ElementsAre(1, 2, 3));
}

TEST(AdjustLogits, RepetitionDividesPositiveAndMultipliesOtherLogitsOncePerToken) {
  SamplingParams params;
  params.repetition_penalty = 2.0f;
  // 0 and 1 in the prompt, 1 and 2 in the output (2 three times), 3 nowhere.
  EXPECT_THAT(Adjusted(params, {0, 1}, {{1, 1}, {2, 3}}, {4, -4, 6, 8}), ElementsAre(2, -8, 3, 8));
}

TEST(AdjustLogits, FrequencyCountsOccurrencesInTheOutputOnly) {
  SamplingParams params;
  params.frequency_penalty = 0.5f;
  EXPECT_THAT(Adjusted(params, {0, 1}, {{1, 1}, {2, 3}}, {4, 4, 4, 4}),
              ElementsAre(4, 3.5, 2.5, 4));
}

TEST(AdjustLogits, PresenceIsSubtractedOncePerTokenOfTheOutput) {
  SamplingParams params;
  params.presence_penalty = -1.5f;
  EXPECT_THAT(Adjusted(params, {0}, {{1, 1}, {2, 3}}, {4, 4, 4, 4}), ElementsAre(4, 5.5, 5.5, 4));
}

TEST(AdjustLogits, AppliesRepetitionThenFrequencyThenPresenceThenBias) {
  SamplingParams params;
  params.repetition_penalty = 2.0f;
  params.frequency_penalty = 0.25f;
  params.presence_penalty = 0.5f;
  params.logit_bias = {{0, 10.0f}, {1, -100.0f}};
  // 8 / 2 - 2 * 0.25 - 0.5 + 10
  EXPECT_THAT(Adjusted(params, {0}, {{0, 2}}, {8, 1}), ElementsAre(13, -99));
}

TEST(AdjustLogits, KeepsLogitsFiniteUnderExtremePenalties) {
  constexpr float kMax = std::numeric_limits<float>::max();
  SamplingParams params;
  params.repetition_penalty = 1e-38f;
  EXPECT_THAT(Adjusted(params, {0}, {{1, 1}}, {50, 50}), ElementsAre(kMax, kMax));
  params.repetition_penalty = 3e38f;
  EXPECT_THAT(Adjusted(params, {0}, {{1, 1}}, {-50, -50}), ElementsAre(-kMax, -kMax));
}

TEST(PenalizedPromptIds, AreDistinctAndAscend) {
  Request request;
  request.prompt_ids = {5, 3, 5, 9, 3};
  request.sampling.repetition_penalty = 1.1f;
  EXPECT_THAT(PenalizedPromptIds(request), ElementsAre(3, 5, 9));
}

TEST(PenalizedPromptIds, LeaveOutThePlaceholdersOfImages) {  // C082
  Request request;
  request.prompt_ids = {5, 77, 77, 6, 77, 7};
  request.images.resize(2);
  request.images[0].prompt_offset = 1;
  request.images[0].tokens = 2;
  request.images[1].prompt_offset = 4;
  request.images[1].tokens = 1;
  request.sampling.repetition_penalty = 1.1f;
  EXPECT_THAT(PenalizedPromptIds(request), ElementsAre(5, 6, 7));
}

TEST(PenalizedPromptIds, AreNotCollectedWithoutARepetitionPenalty) {
  Request request;
  request.prompt_ids = {5, 3};
  request.sampling.frequency_penalty = 1.0f;
  EXPECT_THAT(PenalizedPromptIds(request), IsEmpty());
}

}  // namespace
}  // namespace switchboard::engine
