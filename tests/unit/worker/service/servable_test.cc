#include "worker/service/servable.h"

#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "tests/support/status_matchers.h"

namespace switchboard::worker {
namespace {

using testing::HasSubstr;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr int kRows = 2560;

class CheckServableTest : public testing::Test {
 protected:
  CheckServableTest() : files_(*ReadModelFiles(SWITCHBOARD_MODELS "/autoglm-phone-tiny")) {}

  ModelFiles files_;
};

TEST_F(CheckServableTest, TakesTheDemonstrationModel) {
  EXPECT_THAT(CheckServable(files_, kRows), IsOk());
}

TEST_F(CheckServableTest, RefusesAPreTokenizerThatNobodyKnows) {
  files_.tokenizer_json =
      absl::StrReplaceAll(files_.tokenizer_json, {{R"("ByteLevel")", R"("Frobnicate")"}});
  EXPECT_THAT(CheckServable(files_, kRows),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("Frobnicate")));
}

TEST_F(CheckServableTest, RefusesABrokenTokenizer) {
  files_.tokenizer_json = "{";
  EXPECT_THAT(CheckServable(files_, kRows), StatusIs(kInvalid, HasSubstr("tokenizer")));
}

TEST_F(CheckServableTest, RefusesATokenizerLargerThanTheModel) {
  EXPECT_THAT(CheckServable(files_, files_.usable_vocab), IsOk());
  EXPECT_THAT(CheckServable(files_, files_.usable_vocab - 1),
              StatusIs(kInvalid, HasSubstr("the tokenizer has ids up to 2539")));
}

TEST_F(CheckServableTest, RefusesABrokenTemplate) {
  files_.chat_template = "line one\n{% for";
  EXPECT_THAT(CheckServable(files_, kRows), StatusIs(kInvalid, HasSubstr("chat template, line 2")));
  files_.chat_template = "hi \xff";
  EXPECT_THAT(CheckServable(files_, kRows), StatusIs(kInvalid, HasSubstr("not UTF-8")));
}

TEST_F(CheckServableTest, TakesAModelWithoutATemplate) {
  files_.chat_template.clear();
  EXPECT_THAT(CheckServable(files_, kRows), IsOk());
}

}  // namespace
}  // namespace switchboard::worker
