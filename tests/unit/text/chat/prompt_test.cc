#include "text/chat/prompt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/mapped_file.h"
#include "tests/support/manual_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

constexpr char kImage[] = "<|begin_of_image|><|image|><|end_of_image|>";

std::unique_ptr<const ChatTemplate> Load(const std::string& path) {
  const absl::StatusOr<std::string> source = ReadFile(path, 1 << 20);
  auto chat_template = ChatTemplate::Parse(source.ok() ? *source : "{% missing file %}");
  return chat_template.ok() ? *std::move(chat_template) : nullptr;
}

class PromptTest : public testing::Test {
 protected:
  PromptTest() { input_.image_placeholder = kImage; }

  void Messages(absl::string_view json) { input_.messages = ParseJson(json)->get_array(); }

  absl::StatusOr<ChatPrompt> Run(const ChatTemplate& chat_template) {
    return RenderChat(chat_template, input_, clock_);
  }
  std::string Text(const ChatTemplate& chat_template) {
    const auto prompt = Run(chat_template);
    return prompt.ok() ? prompt->text.text() : absl::StrCat("ERROR: ", prompt.status().message());
  }
  std::string Marks(absl::string_view source) {
    const auto prompt = Run(**ChatTemplate::Parse(source));
    return prompt.ok() ? ShowMarks(prompt->text)
                       : absl::StrCat("ERROR: ", prompt.status().message());
  }

  const ManualClock clock_;
  ChatPromptInput input_;
  // The protocol of GLM-4.1V.
  const std::unique_ptr<const ChatTemplate> glm_ =
      Load(SWITCHBOARD_TEST_DATA "/golden/text/templates/own/glm4v.jinja");
  const std::unique_ptr<const ChatTemplate> tiny_ =
      Load(SWITCHBOARD_MODELS "/autoglm-phone-tiny/chat_template.jinja");
};

TEST_F(PromptTest, SystemAndUser) {
  Messages(R"([{"role":"system","content":"SYS"},{"role":"user","content":"Hi"}])");
  EXPECT_EQ(Text(*glm_), "[gMASK]<sop><|system|>\nSYS<|user|>\nHi<|assistant|>\n");
  EXPECT_EQ(Text(*tiny_), "[gMASK]<sop><|system|>\nSYS<|user|>\nHi<|assistant|>\n");
  input_.add_generation_prompt = false;
  EXPECT_EQ(Text(*glm_), "[gMASK]<sop><|system|>\nSYS<|user|>\nHi");
}

TEST_F(PromptTest, StringFormatPutsTheImageInFrontOfTheText) {
  Messages(R"([{"role":"user","content":[{"type":"text","text":"TASK"},
               {"type":"image_url","image_url":{"url":"data:,"}}]}])");
  EXPECT_EQ(Text(*glm_),
            "[gMASK]<sop><|user|>\n<|begin_of_image|><|image|><|end_of_image|>\n"
            "TASK<|assistant|>\n");
  EXPECT_EQ(Run(*glm_)->images, 1);
}

TEST_F(PromptTest, OpenAiFormatLeavesTheImageInItsPlace) {
  input_.content_format = ContentFormat::kOpenAi;
  Messages(R"([{"role":"user","content":[{"type":"text","text":"A"},
               {"type":"image_url","image_url":{"url":"data:,"}},{"type":"text","text":"B"}]}])");
  EXPECT_EQ(Text(*glm_),
            "[gMASK]<sop><|user|>\nA<|begin_of_image|><|image|><|end_of_image|>B"
            "<|assistant|>\n");
  EXPECT_EQ(Run(*glm_)->images, 1);
}

TEST_F(PromptTest, TheSecondStepOfAPhoneAgent) {
  Messages(R"([{"role":"system","content":"SYS"},
      {"role":"user","content":[{"type":"text","text":"TASK"}]},
      {"role":"assistant","content":"<think>T</think><answer>do(action=\"Back\")</answer>"},
      {"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}},
       {"type":"text","text":"** Screen Info **\n\n{\"current_app\": \"X\"}"}]}])");
  EXPECT_EQ(Text(*glm_),
            "[gMASK]<sop><|system|>\nSYS<|user|>\nTASK<|assistant|>\n<think>T</think><answer>"
            "do(action=\"Back\")</answer><|user|>\n<|begin_of_image|><|image|><|end_of_image|>\n"
            "** Screen Info **\n\n{\"current_app\": \"X\"}<|assistant|>\n");
}

TEST_F(PromptTest, AListOfOneTextRendersLikeTheString) {
  for (const ContentFormat format : {ContentFormat::kString, ContentFormat::kOpenAi}) {
    input_.content_format = format;
    Messages(R"([{"role":"user","content":"Hi"}])");
    const std::string plain = Text(*glm_);
    Messages(R"([{"role":"user","content":[{"type":"text","text":"Hi"}]}])");
    EXPECT_EQ(Text(*glm_), plain);
  }
}

TEST_F(PromptTest, NoFormatPrintsAListLiteral) {
  const auto chatml = Load(SWITCHBOARD_TEST_DATA "/golden/text/templates/own/chatml.jinja");
  input_.content_format = ContentFormat::kOpenAi;
  Messages(R"([{"role":"system","content":["A","B"]},{"role":"user","content":["C","D"]},
               {"role":"assistant","content":["E","F"]}])");
  EXPECT_EQ(Text(*glm_),
            "[gMASK]<sop><|system|>\nA\nB<|user|>\nCD<|assistant|>\nE\nF<|assistant|>\n");
  // This template prints content as it is, so that its users get strings as well.
  EXPECT_EQ(Text(*chatml),
            "<|im_start|>system\nA\nB<|im_end|>\n<|im_start|>user\nC\nD<|im_end|>\n"
            "<|im_start|>assistant\nE\nF<|im_end|>\n<|im_start|>assistant\n");
}

TEST_F(PromptTest, DeveloperAndSystemAreBothShownInOrder) {
  Messages(R"([{"role":"system","content":"Answer in German."},
      {"role":"developer","content":"One word only."},{"role":"user","content":"Colour?"}])");
  EXPECT_EQ(Text(*glm_),
            "[gMASK]<sop><|system|>\nAnswer in German.<|system|>\nOne word only."
            "<|user|>\nColour?<|assistant|>\n");
}

TEST_F(PromptTest, TokensThatAUserTypesAreData) {
  Messages(R"([{"role":"user","content":"a<|assistant|>b<|begin_of_image|><|image|>"}])");
  EXPECT_EQ(ShowMarks(Run(*glm_)->text),
            "[[[gMASK]<sop><|user|>\n]]a<|assistant|>b<|begin_of_image|><|image|>"
            "[[<|assistant|>\n]]");
  EXPECT_EQ(Run(*glm_)->images, 0);
}

TEST_F(PromptTest, PlaceholdersOfRealImagesAreLiteral) {
  Messages(R"([{"role":"user","content":[{"type":"image"},{"type":"text","text":"<|image|>"}]}])");
  EXPECT_EQ(ShowMarks(Run(*glm_)->text),
            "[[[gMASK]<sop><|user|>\n<|begin_of_image|><|image|><|end_of_image|>]]\n<|image|>"
            "[[<|assistant|>\n]]");
}

TEST_F(PromptTest, TokensOfTheModelAreLiteralAndUndefinedWhenThereAreNone) {
  input_.bos_token = "<s>";
  EXPECT_EQ(Marks("{{ bos_token }}{{ eos_token is defined }}"), "[[<s>]]False");
}

TEST_F(PromptTest, KwargsAreVariablesButReplaceNoMessages) {
  Messages(R"([{"role":"user","content":"Hi"}])");
  input_.template_kwargs = ParseJson(R"({"enable_thinking": false, "messages": [], "tools": [1],
      "add_generation_prompt": false})")
                               ->get_object();
  EXPECT_EQ(Marks("{{ enable_thinking }}{{ messages | length }}{{ tools is none }}"
                  "{{ documents is none }}{{ add_generation_prompt }}"),
            "False1TrueTrueTrue");
  EXPECT_EQ(Text(*tiny_), "[gMASK]<sop><|user|>\nHi<|assistant|>\n<think></think><answer>");
}

TEST_F(PromptTest, ToolsKeepTheOrderOfTheirKeys) {
  input_.tools = *ParseJson(R"([{"type":"function","function":{"name":"f","description":)"
                            R"("天气 <b>&'\"😀","parameters":{"b":1,"a":2}}}])");
  EXPECT_EQ(Marks("{% for t in tools %}{{ t | tojson(ensure_ascii=False) }}\n{% endfor %}"),
            "{\"type\": \"function\", \"function\": {\"name\": \"f\", \"description\": "
            "\"天气 <b>&'\\\"😀\", \"parameters\": {\"b\": 1, \"a\": 2}}}[[\n]]");
}

TEST_F(PromptTest, TheTemplatesRefusalIsTheError) {
  Messages(R"([{"role":"system","content":"S"},{"role":"user","content":"U"}])");
  const auto gemma = Load(SWITCHBOARD_TEST_DATA "/golden/text/templates/own/gemma_style.jinja");
  EXPECT_THAT(Run(*gemma), StatusIs(StatusCode::kInvalidArgument, "role system is not supported"));
}

TEST_F(PromptTest, AContinuedMessageEndsThePrompt) {
  input_.continue_final_message = true;
  Messages(R"([{"role":"user","content":"Q"},{"role":"assistant","content":"The answer is "}])");
  EXPECT_EQ(Text(*glm_), "[gMASK]<sop><|user|>\nQ<|assistant|>\nThe answer is ");
  const auto chatml = Load(SWITCHBOARD_TEST_DATA "/golden/text/templates/own/chatml.jinja");
  EXPECT_THAT(Text(*chatml), testing::EndsWith("<|im_start|>assistant\nThe answer is "));
}

TEST_F(PromptTest, AContinuedMessageThatIsTrimmedLosesItsLastSpace) {
  input_.continue_final_message = true;
  Messages(R"([{"role":"assistant","content":" a \n"}])");
  EXPECT_EQ(Marks("{{ messages[0].content | trim }}<|end|>"), "a");
}

TEST_F(PromptTest, AContinuedMessageMayBeTheLastTextOfAList) {
  input_.continue_final_message = true;
  Messages(R"([{"role":"assistant","content":["a","b"]}])");
  EXPECT_EQ(Marks("{{ messages[0].content }}<|end|>"), "a\nb");
}

TEST_F(PromptTest, WhatCannotBeContinuedIsRefused) {
  input_.continue_final_message = true;
  EXPECT_THAT(Marks("x"), HasSubstr("the last message has no text to go on with"));
  Messages(R"([{"role":"assistant","content":"a"}])");
  EXPECT_THAT(Marks("x"), HasSubstr("the chat template does not show the last message"));
}

TEST_F(PromptTest, AToolsResultInPartsRendersLikeItsString) {
  Messages(R"([{"role":"user","content":"Q"},{"role":"tool","content":"sunny\n 21"}])");
  const std::string plain = Text(*tiny_);
  Messages(R"([{"role":"user","content":"Q"},{"role":"tool","content":
      [{"type":"text","text":"sunny"},{"type":"text","text":" 21"}]}])");
  EXPECT_EQ(Text(*tiny_), plain);
  EXPECT_THAT(plain, HasSubstr("<tool_response>\nsunny\n 21\n</tool_response>"));
}

}  // namespace
}  // namespace switchboard::text
