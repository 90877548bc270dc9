#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/worker/engine/rig.h"
#include "worker/engine/stepper.h"

namespace switchboard::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Text 20, image of 6 tokens, text 3, image of 2 tokens, text 4.
Request PictureRequest(int max_tokens) {
  Request request = TextRequest(20, max_tokens);
  AppendImage(4, 6, 0.25f, &request);
  request.prompt_ids.insert(request.prompt_ids.end(), {3, 4, 5});
  AppendImage(2, 4, 0.75f, &request);
  request.prompt_ids.insert(request.prompt_ids.end(), {6, 7, 8, 9});
  return request;
}

std::vector<Answer> Expected(const Rig& rig, const Request& request) {
  return ReferenceAnswers(request, rig.options().max_model_len, rig.options().eos_token_ids);
}

TEST(StepperImages, ReachTheModelAtTheirPlaces) {
  Rig rig;
  const auto sink = rig.Add(PictureRequest(10));
  rig.RunOut();
  EXPECT_EQ(sink->answers(), Expected(rig, PictureRequest(10)));
  EXPECT_EQ(rig.model().images_encoded, 2);
}

TEST(StepperImages, LetTheTextBeforeThemBeComputedMeanwhile) {
  Rig rig;
  rig.Add(PictureRequest(1));
  rig.RunOut();
  // Three vision blocks each: the text before an image is computed beside the first of its blocks.
  EXPECT_THAT(rig.model().passes, ElementsAre(20, 6 + 3, 2 + 4));
  EXPECT_EQ(rig.stepper().stats().steps, 7u);
}

TEST(StepperImages, DoNotStopTheDecodesOfOthers) {
  Rig rig;
  const auto text = rig.Add(TextRequest(10, 50));
  rig.Turn();
  rig.Add(PictureRequest(1));
  for (int turn = 1; turn <= 2 * kVisionBlocks; ++turn) {
    rig.Turn();
    EXPECT_EQ(text->tokens(), 1 + turn) << "a token in every turn, one vision block beside it";
  }
}

TEST(StepperImages, AreEncodedOnceForAllChoicesAndPreemptions) {
  EngineOptions options = SmallOptions();
  options.kv_pages = 10;
  options.max_running = 3;
  Rig rig(options);
  Request request = PictureRequest(400);
  request.choices = 3;
  request.sampling.temperature = 1.0f;
  const auto sink = rig.Add(request);
  rig.RunOut();
  EXPECT_GT(rig.preemptions(), 0);
  EXPECT_EQ(rig.model().images_encoded, 2);
  EXPECT_EQ(sink->answers(), Expected(rig, request));
}

TEST(StepperImages, MayFillTheWholePrompt) {
  Rig rig;
  Request request = TextRequest(0, 5);
  AppendImage(16, 20, 0.5f, &request);
  const auto sink = rig.Add(request);
  rig.RunOut();
  EXPECT_EQ(sink->answers(), Expected(rig, request));
}

TEST(StepperImages, AreGivenUpWithTheirCancelledRequest) {
  Rig rig;
  rig.Add(PictureRequest(5));
  rig.Turns(2);
  rig.stepper().Cancel(1);
  EXPECT_TRUE(rig.stepper().empty());
  EXPECT_FALSE(rig.Turn());
  EXPECT_EQ(rig.model().images_encoded, 0);
}

TEST(StepperImages, FailTheirRequestWhenTheModelRefusesTheirPlaces) {
  Rig rig;
  Request request = TextRequest(5, 5);
  AppendImage(3, 4, 0.5f, &request);
  const auto sink = rig.Add(request);
  EXPECT_THAT(sink->failure().value_or(absl::OkStatus()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("grid")));
  EXPECT_TRUE(rig.stepper().empty());
  EXPECT_EQ(rig.stepper().waiting_requests(), 0);
}

TEST(StepperImages, FailOnlyTheirRequestWhenTheirEmbeddingsAreWrong) {
  Rig rig;
  rig.model().short_embeddings = true;
  const auto bad = rig.Add(PictureRequest(5));
  const auto good = rig.Add(TextRequest(10, 9));
  rig.RunOut();
  EXPECT_THAT(bad->failure().value_or(absl::OkStatus()),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("placeholders")));
  EXPECT_EQ(good->answers(), Expected(rig, TextRequest(10, 9)));
  EXPECT_EQ(rig.stepper().stats().kv_pages_used, 0);
}

}  // namespace
}  // namespace switchboard::engine
