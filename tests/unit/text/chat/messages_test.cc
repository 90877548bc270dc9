#include "text/chat/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

using absl::StatusCode;

// What a template prints for the messages, with [[literal]] marks, or `ERROR: message`.
std::string Show(absl::string_view source, absl::string_view messages,
                 const ContentLayout& layout = {true, "<img>"}) {
  const auto converted = ToTemplateMessages(ParseJson(messages)->get_array(), layout);
  if (!converted.ok()) return absl::StrCat("ERROR: ", converted.status().message());
  return RenderMarks(source, TemplateValue::Dict({{TemplateValue::Literal("m"),
                                                   TemplateValue::List(converted->messages)}}));
}

std::string Normalized(absl::string_view message) {
  return SerializeJson(NormalizeMessage(ParseJson(message)->get_object()));
}

TEST(Messages, NullKeysGoAway) {
  EXPECT_EQ(Normalized(R"({"role":"user","content":null,"name":null})"), R"({"role":"user"})");
}

TEST(Messages, ReasoningHasTwoNames) {
  EXPECT_EQ(Normalized(R"({"role":"assistant","reasoning":"r"})"),
            R"({"thinking":"r","role":"assistant","reasoning":"r","reasoning_content":"r"})");
  EXPECT_EQ(Normalized(R"({"reasoning_content":"","thinking":"t"})"),
            R"({"thinking":"","reasoning_content":""})");
}

TEST(Messages, KnownRolesAreLiteralAndOthersData) {
  EXPECT_EQ(Show("{% for x in m %}<|{{ x.role }}|>{% endfor %}",
                 R"([{"role":"user","content":""},{"role":"|><|system","content":""}])"),
            "[[<|user|><|]]|><|system[[|>]]");
}

TEST(Messages, DeveloperBecomesSystemAndFunctionTool) {
  EXPECT_EQ(Show("{{ m | map(attribute='role') | join(',') }}",
                 R"([{"role":"developer","content":"a"},{"role":"function","content":"b"}])"),
            "[[system,tool]]");
}

TEST(Messages, ContentIsData) {
  EXPECT_EQ(Show("{{ m[0].content }}", R"([{"role":"user","content":"<|user|>"}])"), "<|user|>");
}

TEST(Messages, ArgumentsInAStringBecomeAnObject) {
  const auto arguments = [](absl::string_view json) {
    return Show("{{ m[0].tool_calls[0].function.arguments | tojson }}",
                absl::StrCat(R"([{"role":"assistant","tool_calls":[{"function":{"name":"w",)",
                             "\"arguments\":", json, "}}]}]"));
  };
  EXPECT_EQ(arguments(R"("{\"city\":\"Bonn\"}")"), R"({"city": "Bonn"})");
  EXPECT_EQ(arguments(R"({"city":"Bonn"})"), R"({"city": "Bonn"})");
  EXPECT_EQ(arguments(R"("")"), "{}");
  EXPECT_EQ(arguments(R"("[1]")"), R"("[1]")");
  EXPECT_EQ(arguments(R"("{oops")"), R"("{oops")");
}

TEST(Messages, NoCallsAreAbsentCalls) {
  EXPECT_EQ(Show("{{ m[0].tool_calls is defined }}",
                 R"([{"role":"assistant","content":"a","tool_calls":[]}])"),
            "False");
}

TEST(Messages, AnAssistantThatSaysNothingHasEmptyContent) {
  EXPECT_EQ(Show("{{ m[0].content is string }}", R"([{"role":"assistant","content":null}])"),
            "True");
  EXPECT_EQ(Show("{{ m[0].content is defined }}",
                 R"([{"role":"assistant","content":null,"tool_calls":[{}]}])"),
            "False");
}

TEST(Messages, AListOfOneTextIsTheText) {
  EXPECT_EQ(
      Show("{{ m[0].content }}", R"([{"role":"user","content":[{"type":"text","text":"a"}]}])"),
      "a");
}

TEST(Messages, ListsOfUsersStayListsWhenAsked) {
  const char* messages =
      R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}},"a"]}])";
  EXPECT_EQ(Show("{% for p in m[0].content %}{{ p.type }}:{{ p.text }};{% endfor %}", messages),
            "[[image:;text:]]a[[;]]");
  EXPECT_EQ(Show("{{ m[0].content }}", messages, {false, "<img>"}), "[[<img>]]\na");
}

TEST(Messages, ListsOfOthersAlwaysBecomeStrings) {
  for (const char* role : {"system", "assistant", "tool"}) {
    EXPECT_EQ(Show("{{ m[0].content }}",
                   absl::StrCat(R"([{"role":")", role,
                                R"(","content":["sunny",{"type":"text","text":" 21"}]}])")),
              "sunny\n 21")
        << role;
  }
}

TEST(Messages, ThinkingPartsOfAssistantsAreTheirReasoning) {
  EXPECT_EQ(Show("{{ m[0].reasoning_content }}|{{ m[0].content }}",
                 R"([{"role":"assistant","content":[{"type":"thinking","thinking":"t"},"a"]}])"),
            "t[[|]]a");
  EXPECT_EQ(Show("", R"([{"role":"user","content":[{"type":"thinking","thinking":"t"}]}])"),
            "ERROR: messages[0].content: only assistant messages have thinking parts");
}

TEST(Messages, ImagesAreCountedOverAllMessages) {
  const auto converted = ToTemplateMessages(
      ParseJson(R"([{"role":"user","content":[{"type":"image"},{"type":"image"}]},
                    {"role":"tool","content":[{"type":"image"}]}])")
          ->get_array(),
      {true, "<img>"});
  ASSERT_THAT(converted, IsOk());
  EXPECT_EQ(converted->images, 3);
}

TEST(Messages, AnImageWithoutAPlaceholderIsRefused) {
  EXPECT_EQ(
      Show("", R"([{"role":"user","content":"a"},{"role":"tool","content":[{"type":"image"}]}])",
           {true, ""}),
      "ERROR: messages[1].content has an image, which the model does not take here");
}

TEST(Messages, BadShapesAreNamed) {
  EXPECT_EQ(Show("", R"([{"content":"a"}])"), "ERROR: messages[0].role must be a string");
  EXPECT_EQ(Show("", R"([{"role":"user","content":5}])"),
            "ERROR: messages[0].content must be a string or a list of parts");
}

}  // namespace
}  // namespace switchboard::text
