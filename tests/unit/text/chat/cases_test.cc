// Reported failures of other servers with chat messages, by their numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "tests/support/manual_clock.h"
#include "tests/support/status_matchers.h"
#include "text/chat/prompt.h"

namespace switchboard::text {
namespace {

using testing::HasSubstr;
using testing::Not;

// Those that know results of tools.
constexpr const char* kTemplates[] = {"glm_tools", "qwen_style", "llama_style"};

class ChatCases : public testing::Test {
 protected:
  absl::StatusOr<ChatPrompt> Run(const std::string& name, absl::string_view messages,
                                 ContentFormat format = ContentFormat::kString) {
    const absl::StatusOr<std::string> source = ReadFile(
        absl::StrCat(SWITCHBOARD_TEST_DATA "/golden/text/templates/own/", name, ".jinja"), 1 << 20);
    if (!source.ok()) return source.status();
    ASSIGN_OR_RETURN(const auto chat_template, ChatTemplate::Parse(*source));
    ChatPromptInput input;
    input.messages = ParseJson(messages)->get_array();
    input.content_format = format;
    input.image_placeholder = "<|image|>";
    return RenderChat(*chat_template, input, clock_);
  }
  std::string Text(const std::string& name, absl::string_view messages,
                   ContentFormat format = ContentFormat::kString) {
    const absl::StatusOr<ChatPrompt> prompt = Run(name, messages, format);
    return prompt.ok() ? prompt->text.text() : prompt.status().ToString();
  }

  const ManualClock clock_;
};

TEST_F(ChatCases, C047ADeveloperMessageBesideASystemMessageIsKept) {
  constexpr char kMessages[] = R"([{"role":"system","content":"Answer in German."},
      {"role":"developer","content":"One word only."},
      {"role":"user","content":"Colour of grass?"}])";
  for (ContentFormat format : {ContentFormat::kString, ContentFormat::kOpenAi}) {
    EXPECT_EQ(Text("glm4v", kMessages, format),
              "[gMASK]<sop><|system|>\nAnswer in German.<|system|>\nOne word only.<|user|>\n"
              "Colour of grass?<|assistant|>\n");
  }
}

TEST_F(ChatCases, C055AToolResultOfTextPartsReadsLikeTheirJoinedText) {
  constexpr char kBefore[] =
      R"([{"role":"user","content":"Weather?"},{"role":"assistant","content":"","tool_calls":
      [{"id":"c1","type":"function","function":{"name":"w","arguments":"{}"}}]},
      {"role":"tool","tool_call_id":"c1","content":)";
  for (const char* name : kTemplates) {
    for (ContentFormat format : {ContentFormat::kString, ContentFormat::kOpenAi}) {
      const std::string parts = Text(name,
                                     absl::StrCat(kBefore, R"([{"type":"text","text":"sunny"},)",
                                                  R"({"type":"text","text":"21°C"}]}])"),
                                     format);
      EXPECT_EQ(parts, Text(name, absl::StrCat(kBefore, R"("sunny\n21°C"}])"), format)) << name;
      EXPECT_THAT(parts, HasSubstr("sunny\n21°C")) << name;
      EXPECT_THAT(parts, Not(HasSubstr("'type'"))) << name;
    }
  }
}

TEST_F(ChatCases, C055AnEmptyToolResultIsAnEmptyText) {
  constexpr char kBefore[] = R"([{"role":"user","content":"x"},{"role":"tool","content":)";
  for (const char* name : kTemplates) {
    EXPECT_EQ(Text(name, absl::StrCat(kBefore, "[]}]")),
              Text(name, absl::StrCat(kBefore, "\"\"}]")))
        << name;
  }
}

TEST_F(ChatCases, C055WhatIsNeitherTextNorPartsIsRefusedByName) {
  for (const char* content : {"5", "{}", "true"}) {
    const absl::Status status =
        Run("glm4v", absl::StrCat(R"([{"role":"tool","content":)", content, "}]")).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << content;
    EXPECT_THAT(std::string(status.message()), HasSubstr("messages[0].content")) << content;
  }
}

}  // namespace
}  // namespace switchboard::text
