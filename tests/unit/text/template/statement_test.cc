// Loops, scopes, macros and blocks. Expected texts are jinja2 3.1's.
#include <gtest/gtest.h>

#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

TEST(Statement, ALoopKnowsItsPlace) {
  EXPECT_EQ(Render("{% for i in x %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ "
                   "loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }};{% endfor %}",
                   R"({"x": [5, 6]})"),
            "1021TrueFalse2;2110FalseTrue2;");
  EXPECT_EQ(Render("{% for i in x %}{{ loop.previtem }}<{{ i }}>{{ loop.nextitem }} {% endfor %}",
                   R"({"x": [1, 2, 3]})"),
            "<1>2 1<2>3 2<3> ");
  EXPECT_EQ(
      Render("{% for i in [1,1,2] %}{{ loop.cycle('a','b') }}{{ loop.changed(i) }} {% endfor %}"),
      "aTrue bFalse aTrue ");
}

TEST(Statement, ALoopTestsItsItemsWhenTheirRoundComes) {
  EXPECT_EQ(Render("{% set ns = namespace(stop=false) %}{% for i in [1,2,3,4] if not ns.stop %}{{ "
                   "i }}{% if i == 2 %}{% set ns.stop = true %}{% endif %}{% endfor %}"),
            "12");
  EXPECT_EQ(Render("{% for i in range(6) if i % 2 %}{{ loop.index }}/{{ loop.length }}:{{ i }} {% "
                   "endfor %}"),
            "1/3:1 2/3:3 3/3:5 ");
}

TEST(Statement, ALoopUnpacksItsItems) {
  EXPECT_EQ(Render("{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}"), "123");
  EXPECT_EQ(Render("{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}",
                   R"({"d": {"b": 1, "a": null}})"),
            "b=1;a=None;");
}

TEST(Statement, AnEmptyLoopHasAnElse) {
  EXPECT_EQ(Render("{% for i in [] %}x{% else %}e{% endfor %}{% for i in [1] if false %}x{% else "
                   "%}e{% endfor %}"),
            "ee");
}

TEST(Statement, BreakAndContinueLeaveTheRound) {
  EXPECT_EQ(Render("{% for i in range(9) %}{% if i == 2 %}{% continue %}{% endif %}{% if i == 4 "
                   "%}{% break %}{% endif %}{{ i }}{% endfor %}"),
            "013");
  EXPECT_EQ(Render("{% for i in [1,2] %}{% set x %}{% if i == 1 %}{% continue %}{% endif %}y{% "
                   "endset %}{{ x }}{% endfor %}"),
            "y");
}

TEST(Statement, ARecursiveLoopCallsItself) {
  EXPECT_EQ(Render("{% for a in t recursive %}{{ a.n }}{{ loop.depth }}{% if a.c %}({{ loop(a.c) "
                   "}}){% endif %}{% endfor %}",
                   R"({"t": [{"n": "r", "c": [{"n": "s", "c": []}]}, {"n": "t"}]})"),
            "r1(s2)t1");
}

TEST(Statement, AnInnerLoopSeesTheOuterOneThroughAVariable) {
  EXPECT_EQ(Render("{% for i in [1,2] %}{% set outer = loop %}{% for j in [1,2] %}{{ outer.index "
                   "}}{{ loop.index }} {% endfor %}{% endfor %}"),
            "11 12 21 22 ");
}

TEST(Statement, SetStaysInsideTheLoopButLeavesTheIf) {
  EXPECT_EQ(Render("{% set x = 1 %}{% for i in [1,2] %}{% set x = i %}{% endfor %}{{ x }}{% if "
                   "true %}{% set x = 3 %}{% endif %}{{ x }}"),
            "13");
  EXPECT_EQ(Render("{% for i in [1,2] %}{{ y is defined }}{% set y = i %}{% endfor %}"),
            "FalseFalse");
}

TEST(Statement, NamespacesLeaveTheLoop) {
  EXPECT_EQ(Render("{% set ns = namespace(x=1) %}{% for i in [1,2] %}{% set ns.x = ns.x + i %}{% "
                   "endfor %}{{ ns.x }}{{ ns.y is defined }}"),
            "4False");
}

TEST(Statement, SetUnpacks) {
  EXPECT_EQ(Render("{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set (c, d) = [3, 4] %}{{ c }}{{ d }}"),
            "1234");
}

TEST(Statement, SetBlocksCaptureAndFilter) {
  EXPECT_EQ(Render("{% set x %}a{{ 1 }}{% endset %}[{{ x }}]{% set y | upper | trim %} ab {% "
                   "endset %}[{{ y }}]"),
            "[a1][AB]");
}

TEST(Statement, WithOpensAScope) {
  EXPECT_EQ(Render("{% set a = 0 %}{% with a = 1, b = a %}{{ a }}{{ b }}{% endwith %}{{ a }}{{ b "
                   "is defined }}"),
            "100False");
}

TEST(Statement, MacrosTakeDefaultsKeywordsAndMore) {
  EXPECT_EQ(Render("{% macro f(a, b=2, c=a) %}{{ a }}{{ b }}{{ c }}|{% endmacro %}{{ f(1) }}{{ "
                   "f(1, c=4) }}{{ f() }}{{ f.name }}"),
            "121|124|2|f");
  EXPECT_EQ(Render("{% macro f() %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, 2, k=3) }}"),
            "(1, 2){'k': 3}");
}

TEST(Statement, MacrosSeeGlobalsAtTheTimeOfTheCall) {
  EXPECT_EQ(
      Render(
          "{% macro m() %}{{ x }}{% endmacro %}{% set x = 5 %}{{ m() }}{% set x = 6 %}{{ m() }}"),
      "56");
}

TEST(Statement, CallBlocksAreCalledBack) {
  EXPECT_EQ(
      Render(
          "{% macro w(t) %}<{{ t }}>{{ caller() }}{% endmacro %}{% call w('p') %}in{% endcall %}"),
      "<p>in");
  EXPECT_EQ(Render("{% macro l(x) %}{% for i in x %}{{ caller(i, loop.index) }}{% endfor %}{% "
                   "endmacro %}{% call(v, n) l([7,8]) %}{{ n }}={{ v }};{% endcall %}"),
            "1=7;2=8;");
}

TEST(Statement, FilterBlocksFilterTheirText) {
  EXPECT_EQ(Render("{% filter upper | replace('B', '-') %}ab{{ 'c' }}{% endfilter %}"), "A-C");
}

TEST(Statement, AutoescapeEscapesWhatIsPrinted) {
  EXPECT_EQ(Render("{% autoescape true %}{{ '<' }}{{ '<' | safe }}{{ ['<'] | join }}{% "
                   "endautoescape %}{{ '<' }}"),
            "&lt;<&lt;<");
}

TEST(Statement, BlocksPrintWithVariablesOfTheirOwn) {
  EXPECT_EQ(
      Render("{% set x = 1 %}{% block b %}{{ x }}{% set x = 2 %}{{ x }}{% endblock %}{{ x }}"),
      "121");
}

TEST(Statement, PrintTagsPrintTheirValues) { EXPECT_EQ(Render("{% print 1, 'a' %}"), "1a"); }

TEST(Statement, GenerationBlocksPrintTheirBody) {
  EXPECT_EQ(Render("a{% generation %}b{{ 1 }}{% endgeneration %}c"), "ab1c");
}

TEST(Statement, ElifsAreTriedInTurn) {
  EXPECT_EQ(Render("{% for x in [1,2,3] %}{% if x == 1 %}a{% elif x == 2 %}b{% else %}c{% endif "
                   "%}{% endfor %}"),
            "abc");
}

}  // namespace
}  // namespace switchboard::text
