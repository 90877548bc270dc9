#include "text/template/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(ChatTemplate, ASyntaxErrorNamesItsLine) {
  EXPECT_THAT(ChatTemplate::Parse("a\nb\n{{ 1 + }}"),
              StatusIs(StatusCode::kInvalidArgument,
                       "chat template, line 3: unexpected 'end of print statement'"));
}

TEST(ChatTemplate, UnknownTagsFiltersAndTestsAreSyntaxErrors) {
  EXPECT_THAT(ChatTemplate::Parse("\n{% do x %}"),
              StatusIs(StatusCode::kInvalidArgument,
                       "chat template, line 2: Encountered unknown tag 'do'."));
  EXPECT_THAT(
      ChatTemplate::Parse("{{ x | nope }}"),
      StatusIs(StatusCode::kInvalidArgument, "chat template, line 1: No filter named 'nope'."));
  EXPECT_THAT(
      ChatTemplate::Parse("{{ x is nope }}"),
      StatusIs(StatusCode::kInvalidArgument, "chat template, line 1: No test named 'nope'."));
}

TEST(ChatTemplate, AnUnknownFilterInsideAnIfFailsOnlyWhenUsed) {
  EXPECT_EQ(Render("{% if x %}{{ 1 | nope }}{% endif %}ok"), "ok");
  EXPECT_EQ(Render("{{ 1 | nope if x }}ok"), "ok");
  EXPECT_EQ(Render("{% if true %}{{ 1 | nope }}{% endif %}"),
            "ERROR: chat template, line 1: No filter named 'nope' found.");
}

TEST(ChatTemplate, ARuntimeErrorNamesItsLine) {
  EXPECT_EQ(Render("a\n{{ m.content.x }}", R"({"m": {}})"),
            "ERROR: chat template, line 2: 'dict object' has no attribute 'content'");
}

TEST(ChatTemplate, RaiseExceptionPassesItsMessageAlone) {
  const auto rendered =
      RenderWith("\n{{ raise_exception('only users, got ' ~ role) }}",
                 TemplateValue::Dict({{TemplateValue::Data("role"), TemplateValue::Data("x")}}));
  EXPECT_THAT(rendered, StatusIs(StatusCode::kInvalidArgument, "only users, got x"));
}

TEST(ChatTemplate, InvalidUtf8IsRefused) {
  EXPECT_THAT(ChatTemplate::Parse("a\xFF"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("not valid UTF-8")));
}

TEST(ChatTemplate, VariablesMustBeADict) {
  EXPECT_THAT(RenderWith("x", TemplateValue::List({})),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("must be a dict")));
}

TEST(ChatTemplate, GenerationSpansAreTheBytesOfTheirBlocks) {
  const auto rendered =
      RenderWith("é{% generation %}ab{% endgeneration %}-{% generation %}ü{% endgeneration %}",
                 TemplateValue::Dict({}));
  ASSERT_THAT(rendered, IsOk());
  EXPECT_EQ(rendered->text.text(), "éab-ü");
  EXPECT_THAT(rendered->generation_spans, ElementsAre(ByteRange{2, 4}, ByteRange{5, 7}));
}

TEST(ChatTemplate, StrftimeNowReadsTheClockInUtc) {
  EXPECT_EQ(Render("{{ strftime_now('%d %b %Y, %H:%M:%S') }}"), "30 Nov 2026, 17:26:08");
}

TEST(ChatTemplate, NulAndOtherControlBytesPassThrough) {
  EXPECT_EQ(Render("{{ x }}", R"({"x": "a\u0000b\u001f"})"), std::string("a\0b\x1f", 4));
}

TEST(ChatTemplate, ManyThreadsRenderOneTemplate) {
  const auto chat_template = ChatTemplate::Parse(
      "{% set ns = namespace(n=0) %}{% for i in range(50) %}{% set ns.n = ns.n + i %}"
      "{{ '<' ~ x ~ '>' }}{% endfor %}{{ ns.n }}");
  ASSERT_THAT(chat_template, IsOk());
  const ManualClock clock;
  const TemplateValue context =
      TemplateValue::Dict({{TemplateValue::Data("x"), TemplateValue::Data("é")}});
  std::string expected;
  for (int i = 0; i < 50; ++i) expected += "<é>";
  expected += "1225";
  std::vector<std::string> texts(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& text : texts) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) {
          const auto rendered = (*chat_template)->Render(context, clock);
          text = rendered.ok() ? rendered->text.text() : "error";
        }
      });
    }
  }
  EXPECT_THAT(texts, testing::Each(expected));
}

}  // namespace
}  // namespace switchboard::text
