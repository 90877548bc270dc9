// Templates that ask for too much end with an error, soon.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

using testing::HasSubstr;

std::string Repeat(absl::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) absl::StrAppend(&result, text);
  return result;
}

TemplateLimits Small() {
  TemplateLimits limits;
  limits.steps = 100'000;
  limits.memory_bytes = 1 << 20;
  limits.output_bytes = 1 << 16;
  return limits;
}

TEST(TemplateLimits, ARangeIsBounded) {
  EXPECT_EQ(Render("{{ range(10**9) | list }}"),
            "ERROR: chat template, line 1: Range too big: 1000000000 items, at most 100000");
}

TEST(TemplateLimits, StepsAreCountedInLoops) {
  EXPECT_EQ(Render("\n{% for i in range(999) %}{% for j in range(999) %}{% endfor %}{% endfor %}",
                   "{}", Small()),
            "ERROR: chat template, line 2: it takes too many steps");
}

TEST(TemplateLimits, RepetitionIsBounded) {
  EXPECT_THAT(Render("{{ 'x' * 10**9 }}", "{}", Small()), HasSubstr("too many steps"));
  EXPECT_THAT(Render("{{ [1] * 10**9 }}", "{}", Small()), HasSubstr("bytes of memory"));
}

TEST(TemplateLimits, MemoryIsCountedWhileItLives) {
  EXPECT_THAT(Render("{% set ns = namespace(s='x') %}{% for i in range(99) %}"
                     "{% set ns.s = ns.s + ns.s %}{% endfor %}",
                     "{}", Small()),
              HasSubstr("it needs more than 1048576 bytes of memory"));
  // A megabyte in all, but never much at a time.
  TemplateLimits limits = Small();
  limits.steps = 1'000'000;
  EXPECT_EQ(Render("{% for i in range(100) %}{% set s = 'xxxxxxxxxx' * 1000 %}{% endfor %}ok", "{}",
                   limits),
            "ok");
}

TEST(TemplateLimits, JoinReplaceAndJsonAreBounded) {
  TemplateLimits limits = Small();
  limits.steps = 10'000'000;
  for (const char* expression :
       {"(['y' * 9999] * 9999) | join", "('a' * 9999).replace('a', 'b' * 9999)",
        "(['y' * 9999] * 9999) | tojson", "'a' | indent | center(10**9)",
        "('x\\n' * 9999) | indent(9999)", "(['y' * 9999] * 999) ~ ''"}) {
    EXPECT_THAT(Render(absl::StrCat("{{ ", expression, " }}"), "{}", limits),
                HasSubstr("bytes of memory"))
        << expression;
  }
}

TEST(TemplateLimits, OutputIsBounded) {
  EXPECT_THAT(Render("{% set s = 'xxxxxxxxxx' * 100 %}{% for i in range(70) %}{{ s }}{% endfor %}",
                     "{}", Small()),
              HasSubstr("its output is longer than 65536 bytes"));
}

TEST(TemplateLimits, MacrosThatCallThemselvesAreStopped) {
  EXPECT_THAT(Render("{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}"),
              HasSubstr("it nests too deeply"));
  EXPECT_THAT(Render("{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}"),
              HasSubstr("it nests too deeply"));
}

TEST(TemplateLimits, RecursionAsDeepAsJsonIsFine) {
  EXPECT_EQ(Render("{% macro m(n) %}{% if n %}{% for i in [1] %}{{ m(n - 1) }}{% endfor %}"
                   "{% else %}end{% endif %}{% endmacro %}{{ m(128) }}"),
            "end");
}

TEST(TemplateLimits, NestedValuesAreBounded) {
  EXPECT_THAT(Render("{% set ns = namespace(l=[]) %}{% for i in range(999) %}"
                     "{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}"),
              HasSubstr("a value is nested too deeply"));
}

TEST(TemplateLimits, ListsThatShareTheirItemsAreBounded) {
  const std::string doubling =
      "{% set ns = namespace(l=[]) %}{% for i in range(99) %}{% set ns.l = [ns.l, ns.l] %}"
      "{% endfor %}";
  EXPECT_THAT(Render(doubling + "{{ ns.l }}", "{}", Small()), HasSubstr("too many steps"));
  EXPECT_THAT(Render(doubling + "{{ ns.l == ns.l[:] }}", "{}", Small()),
              HasSubstr("too many steps"));
}

TEST(TemplateLimits, ANamespaceMayHoldItself) {
  EXPECT_EQ(Render("{% set ns = namespace(a=1) %}{% set ns.me = ns %}{{ ns.me.me.a }}"), "1");
}

TEST(TemplateLimits, SourceNestingIsBounded) {
  EXPECT_THAT(Render(absl::StrCat("{{ ", Repeat("(", 5000), "1", Repeat(")", 5000), " }}")),
              HasSubstr("expressions are nested too deeply"));
  EXPECT_THAT(Render(absl::StrCat("{{ ", Repeat("not ", 5000), "1 }}")),
              HasSubstr("expressions are nested too deeply"));
  EXPECT_THAT(Render(absl::StrCat("{{ 1", Repeat(" + 1", 5000), " }}")),
              HasSubstr("an expression is nested too deeply"));
  EXPECT_THAT(Render(absl::StrCat("{{ x", Repeat(".a", 5000), " }}")),
              HasSubstr("an expression is nested too deeply"));
  EXPECT_THAT(Render(Repeat("{% if 1 %}", 5000)), HasSubstr("blocks are nested too deeply"));
}

TEST(TemplateLimits, LongFlatSourcesAreFine) {
  EXPECT_EQ(
      Render(absl::StrCat("{% if 0 %}", Repeat("{% elif 0 %}", 5000), "{% else %}e{% endif %}")),
      "e");
  EXPECT_EQ(Render(absl::StrCat("{{ 'a'", Repeat(" ~ 'a'", 5000), " }}")).size(), 5001u);
}

TEST(TemplateLimits, SourceLengthIsBounded) {
  TemplateLimits limits;
  limits.source_bytes = 10;
  EXPECT_EQ(Render("0123456789", "{}", limits), "0123456789");
  EXPECT_EQ(Render("01234567890", "{}", limits),
            "ERROR: chat template, its source has 11 bytes, at most 10 are read");
}

TEST(TemplateLimits, NumbersAreBounded) {
  EXPECT_THAT(Render("{{ 10 ** 37 * 10 ** 37 }}"), HasSubstr("a number is too large"));
  EXPECT_THAT(Render("{{ 2.0 ** 99999 }}"), HasSubstr("a number is too large"));
  EXPECT_THAT(Render("{{ 99999999999999999999999999999999999999999999 }}"),
              HasSubstr("is too large"));
}

TEST(TemplateLimits, FormatWidthsAreBounded) {
  EXPECT_THAT(Render("{{ '%999999999d' % 1 }}"), HasSubstr("the size is too large"));
  EXPECT_THAT(Render("{{ '{:999999999}'.format(1) }}"), HasSubstr("the width is too large"));
}

}  // namespace
}  // namespace switchboard::text
