// Reported failures of other engines with templates of the field, by their numbers. The expected
// texts are those of jinja2 3.1 with trim_blocks, lstrip_blocks and transformers' tojson.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

using testing::HasSubstr;

constexpr char kTools[] =
    R"({"tools":[{"type":"function","function":{"name":"f","description":"天气 <b>&'\"😀"}}]})";

TEST(TemplateCases, C049JsonOfToolsIsThatOfTheReference) {
  EXPECT_EQ(Render("{% for tool in tools %}{{ tool | tojson(ensure_ascii=False) }}\n{% endfor %}",
                   kTools),
            R"({"type": "function", "function": {"name": "f", "description": "天气 <b>&'\"😀"}})"
            "\n");
  EXPECT_EQ(Render("{{ tools | tojson(ensure_ascii=True) }}", kTools),
            R"([{"type": "function", "function": {"name": "f", "description": )"
            R"("\u5929\u6c14 <b>&'\"\ud83d\ude00"}}])");
  EXPECT_EQ(Render("{{ tools[0] | tojson(separators=(',',':')) }}", kTools),
            R"({"type":"function","function":{"name":"f","description":"天气 <b>&'\"😀"}})");
  EXPECT_EQ(Render("{{ tools[0] | tojson(indent=2) }}", kTools),
            "{\n  \"type\": \"function\",\n  \"function\": {\n    \"name\": \"f\",\n"
            "    \"description\": \"天气 <b>&'\\\"😀\"\n  }\n}");
  EXPECT_EQ(
      Render("{{ tools | tojson(indent=4, sort_keys=true) }}", kTools),
      "[\n    {\n        \"function\": {\n            \"description\": \"天气 <b>&'\\\"😀\",\n"
      "            \"name\": \"f\"\n        },\n        \"type\": \"function\"\n    }\n]");
}

TEST(TemplateCases, C050TemplatesCanAskForTheDate) {
  // The clock of these tests stands at 2026-11-30 17:26:08 UTC.
  EXPECT_EQ(Render("{{ strftime_now('%d %B %Y') }}"), "30 November 2026");
  EXPECT_EQ(Render("{% if strftime_now is defined %}{{ strftime_now('%d %b %Y') }}{% endif %}"),
            "30 Nov 2026");
  constexpr char kLlama[] =
      "{% if not date_string is defined %}{% set date_string = strftime_now('%d %b %Y') %}"
      "{% endif %}{{ date_string }}";
  EXPECT_EQ(Render(kLlama), "30 Nov 2026");
  EXPECT_EQ(Render(kLlama, R"({"date_string": "26 Jul 2024"})"), "26 Jul 2024");
}

TEST(TemplateCases, C052AFilterOverNothingIsTheTemplatesErrorNotOurs) {
  const absl::StatusOr<Json> context = ParseJson(R"({"tool": {"type": "function", "name": "f"}})");
  const auto rendered =
      RenderWith("line one\n{{ tool.function | tojson }}", TemplateValue::FromJson(*context));
  EXPECT_EQ(rendered.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(rendered.status().message()), HasSubstr("line 2"));
}

TEST(TemplateCases, C053ConstructsOfTheFieldRenderAsInJinja2) {
  constexpr char kChat[] = R"({"messages": [{"role": "system", "content": "S"},
      {"role": "user", "content": "hi"},
      {"role": "assistant", "content": "<think>t</think>\n\nans"}]})";
  const struct {
    const char* source;
    const char* text;
  } kCases[] = {
      {"{{ messages[2].content.split('</think>')[-1].lstrip('\\n') }}", "ans"},
      {"{{ messages | rejectattr('role','equalto','system') | list | length }}", "2"},
      {"{% for m in messages[::-1] %}{{ m.role }} {% endfor %}", "assistant user system "},
      {"{% for m in messages %}{{ loop.previtem.role if loop.previtem is defined else '-' }}>"
       "{{ loop.nextitem.role if not loop.last }};{% endfor %}",
       "->user;system>assistant;user>;"},
      {"{% set ns = namespace(found=false) %}{% for m in messages %}{% if m.role == 'user' %}"
       "{% set ns.found = true %}{% endif %}{% endfor %}{{ ns.found }}",
       "True"},
      {"{{ 'a' in messages[2].content }} {{ 'z' not in messages[1].content }}", "True True"},
      {"{{ messages[1].content[0].text }}|{{ messages[1] is mapping }} "
       "{{ messages[1].content is mapping }}",
       "|True False"},
      {"{{ messages[0].role ~ 1 ~ none }}", "system1None"},
      {"{% macro m(a, b='B', c=none) %}{{ a }}{{ b }}{{ c }}{% endmacro %}"
       "{{ m('x') }} {{ m('x', c=3) }}",
       "xBNone xB3"},
      {"  {%- set x -%}\n  a {{ messages[0].content }} \n{%- endset -%}\n [{{ x }}]", "[a S]"},
  };
  for (const auto& [source, text] : kCases) EXPECT_EQ(Render(source, kChat), text) << source;
}

}  // namespace
}  // namespace switchboard::text
