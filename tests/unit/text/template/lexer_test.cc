// White space, literals and tags. Expected texts are jinja2 3.1's.
#include <gtest/gtest.h>

#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

TEST(Lexer, TrimsOneNewlineBehindABlock) {
  EXPECT_EQ(Render("a\n{% if true %}\n\nb{% endif %}\nc"), "a\n\nbc");
  EXPECT_EQ(Render("{% set a = 1 %}\r\n\r\nb"), "\nb");
}

TEST(Lexer, TrimsANewlineBehindAComment) {
  EXPECT_EQ(Render("a{# c #}\n\nb"), "a\nb");
  EXPECT_EQ(Render("{# c -#}\n\n b"), "b");
}

TEST(Lexer, KeepsTheNewlineBehindAPrint) { EXPECT_EQ(Render("{{ 1 }}\n{{ 2 }}"), "1\n2"); }

TEST(Lexer, StripsBlanksBeforeABlockThatBeginsALine) {
  EXPECT_EQ(Render("a\n  \t{% if true %}b{% endif %}"), "a\nb");
  EXPECT_EQ(Render("  {# c #}x"), "x");
  EXPECT_EQ(Render("x  {% if true %}b{% endif %}"), "x  b");
}

TEST(Lexer, KeepsBlanksBeforeAPrint) { EXPECT_EQ(Render("  {{ 1 }}"), "  1"); }

TEST(Lexer, PlusSwitchesBothOff) {
  EXPECT_EQ(Render("  {%+ if true +%}\nx{% endif %}"), "  \nx");
  EXPECT_EQ(Render("  {#+ c +#}\nx"), "  \nx");
}

TEST(Lexer, MinusStripsAllWhiteSpace) {
  EXPECT_EQ(Render("a \n\t {{- 1 -}} \n b"), "a1b");
  EXPECT_EQ(Render("a \343\200\200\n{%- if true -%}\302\240 b{% endif %}"), "ab");
  EXPECT_EQ(Render("a {#- c -#} b"), "ab");
}

TEST(Lexer, DropsOneFinalNewline) {
  EXPECT_EQ(Render("a\n"), "a");
  EXPECT_EQ(Render("a\n\n"), "a\n");
  EXPECT_EQ(Render("\n"), "");
  EXPECT_EQ(Render(""), "");
}

TEST(Lexer, MakesEveryLineEndANewline) {
  EXPECT_EQ(Render("a\r\nb\rc\nd"), "a\nb\nc\nd");
  EXPECT_EQ(Render("{{ 'a\r\nb' }}"), "a\nb");
}

TEST(Lexer, KeepsRawTextAsItIs) {
  EXPECT_EQ(Render("{% raw %}{{ x }}{# y #}{% endraw %}"), "{{ x }}{# y #}");
  EXPECT_EQ(Render("{%- raw -%}  a  {%- endraw -%}  b"), "ab");
  EXPECT_EQ(Render("a\n {% raw %}\nx\n {% endraw %}\nb"), "a\n\nx\nb");
}

TEST(Lexer, FindsTheEndOfATagOnlyOutsideOfBrackets) {
  EXPECT_EQ(Render("{{ {'a': {'b': 1}}['a']['b'] }}"), "1");
  EXPECT_EQ(Render("{{ '}}' }}{{ '%}' }}"), "}}%}");
}

TEST(Lexer, ReadsPythonsEscapes) {
  EXPECT_EQ(Render("{{ 'a\\n\\t\\\\\\'\\\"\\x41\\u00e9\\U0001F680\\101\\d' }}"),
            "a\n\t\\'\"Aé🚀A\\d");
  EXPECT_EQ(Render("{{ 'a\\\nb' }}"), "ab");
  EXPECT_EQ(Render("{{ '\\N{BULLET}' }}"), "•");
}

TEST(Lexer, ReadsNumbers) {
  EXPECT_EQ(Render("{{ 1_000 }} {{ 0x1F }} {{ 0o17 }} {{ 0b101 }} {{ 1e3 }} {{ 1.5E-2 }} {{ 00 }}"),
            "1000 31 15 5 1000.0 0.015 0");
}

TEST(Lexer, ReadsNamesOfAnyAlphabet) { EXPECT_EQ(Render("{{ größe }}", R"({"größe": 3})"), "3"); }

TEST(Lexer, LeavesBracesInTextAlone) { EXPECT_EQ(Render("{ a } %} }} #}"), "{ a } %} }} #}"); }

}  // namespace
}  // namespace switchboard::text
