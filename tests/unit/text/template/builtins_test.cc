// Tests and functions. Expected texts are jinja2 3.1's.
#include <gtest/gtest.h>

#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

TEST(Builtin, TestsLookAtKinds) {
  EXPECT_EQ(Render("{{ 1 is number }} {{ true is number }} {{ true is integer }} {{ 1.0 is float "
                   "}} {{ true is boolean }} {{ 'a' is string }} {{ {} is mapping }} {{ {} is "
                   "sequence }} {{ 'a' is iterable }} {{ 1 is iterable }} {{ none is none }}"),
            "True True False True True True True True True False True");
}

TEST(Builtin, TestsCompare) {
  EXPECT_EQ(Render("{{ 1 is eq 1 }} {{ 2 is gt(1) }} {{ 1 is ge 2 }} {{ 1 is ne 1 }} {{ 'b' is in "
                   "'abc' }} {{ 9 is divisibleby 3 }} {{ 3 is odd }} {{ 'a' is lower }} {{ none is "
                   "sameas none }} {{ 1 is true }}"),
            "True True False False True True True True True False");
}

TEST(Builtin, TestsKnowNames) {
  EXPECT_EQ(Render("{{ 'tojson' is filter }} {{ 'nope' is filter }} {{ 'defined' is test }} {{ x "
                   "is undefined }} {{ x is not defined }}"),
            "True False True True True");
}

TEST(Builtin, RangeCounts) {
  EXPECT_EQ(Render("{{ range(3) | list }} {{ range(2, 5) | last }} {{ range(5, 0, -2) | list }} {{ "
                   "range(0) | length }} {{ range(1, 9, 3)[1] }} {{ range(3) }}"),
            "[0, 1, 2] 4 [5, 3, 1] 0 4 range(0, 3)");
}

TEST(Builtin, DictAndNamespaceTakePairsAndKeywords) {
  EXPECT_EQ(Render("{{ dict(a=1, b='x') }} {{ dict({'k': 2}, m=3) }} {{ dict([('a', 1)]) }} {{ "
                   "namespace({'a': 1}, b=2).a }}"),
            "{'a': 1, 'b': 'x'} {'k': 2, 'm': 3} {'a': 1} 1");
}

TEST(Builtin, CyclersCycle) {
  EXPECT_EQ(Render("{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ "
                   "c.current }}{{ c.reset() }}{{ c.current }}"),
            "ababNonea");
}

TEST(Builtin, JoinersComeFromTheSecondTimeOn) {
  EXPECT_EQ(Render("{% set j = joiner('|') %}{{ j() }}a{{ j() }}b{{ j() }}c"), "a|b|c");
}

TEST(Builtin, StrftimeKnowsItsDirectives) {
  EXPECT_EQ(Render("{{ strftime_now('%Y-%m-%d %H:%M:%S %j %U %W %V %G %u %w %y %I %p %A %a %B %b "
                   "%e %-d %C %D %F %T %R %%') }}"),
            "2026-11-30 17:26:08 334 48 48 49 2026 1 1 26 05 PM Monday Mon November Nov 30 30 20 "
            "11/30/26 2026-11-30 17:26:08 17:26 %");
}

TEST(Builtin, TheContextHidesFunctions) {
  EXPECT_EQ(Render("{{ range }}", R"({"range": 7})"), "7");
}

}  // namespace
}  // namespace switchboard::text
