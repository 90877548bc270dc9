// Operators, lookups and printing. Expected texts are jinja2 3.1's.
#include <gtest/gtest.h>

#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

TEST(Expression, PrintsValuesAsPythonDoes) {
  EXPECT_EQ(Render("{{ x }}", R"({"x": [null, true, 1, 1.0, "a", {"k": []}]})"),
            "[None, True, 1, 1.0, 'a', {'k': []}]");
  EXPECT_EQ(Render("{{ none }} {{ true }} {{ (1,) }} {{ () }} {{ {} }}"), "None True (1,) () {}");
}

TEST(Expression, QuotesStringsInContainersAsReprDoes) {
  EXPECT_EQ(
      Render("{{ x }}",
             R"({"x": ["it's", "say \"hi\"", "both ' and \"", "tab\t\n\\", "é​\u0000"]})"),
      "[\"it's\", 'say \"hi\"', 'both \\' and \"', 'tab\\t\\n\\\\', 'é\\u200b\\x00\\x7f']");
}

TEST(Expression, PrintsFloatsInTheShortestForm) {
  EXPECT_EQ(
      Render("{{ 0.1 }} {{ 1e16 }} {{ 1e15 }} {{ 0.0001 }} {{ 0.00001 }} {{ -0.0 }} {{ 1/3 }} {{ "
             "5e-324 }} {{ 123456789.123 }}"),
      "0.1 1e+16 1000000000000000.0 0.0001 1e-05 -0.0 0.3333333333333333 5e-324 123456789.123");
}

TEST(Expression, DividesDownwards) {
  EXPECT_EQ(Render("{{ 7 // 2 }} {{ -7 // 2 }} {{ 7 % -3 }} {{ -7 % 3 }} {{ -7.5 // 2 }} {{ -7.5 % "
                   "2 }} {{ 6 / 2 }}"),
            "3 -4 -2 2 -4.0 0.5 3.0");
}

TEST(Expression, RaisesFromLeftToRight) {
  EXPECT_EQ(Render("{{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ 2 ** -1 }} {{ (-2) ** 3 }}"), "64 4 0.5 -8");
}

TEST(Expression, BindsTildeTighterThanPlus) {
  EXPECT_EQ(Render("{{ 'n' ~ 3 + '4' }} {{ 2 * 3 ~ 4 }}"), "n34 64");
}

TEST(Expression, BindsTheSignTighterThanFilters) {
  EXPECT_EQ(Render("{{ -x | abs }} {{ -x ** 2 }}", R"({"x": 5})"), "5 25");
}

TEST(Expression, ComparesInChains) {
  EXPECT_EQ(Render("{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ 1 == 1.0 == true }} {{ 'a' < 'b' }} {{ [1, "
                   "2] < [1, 3] }}"),
            "True False True True True");
}

TEST(Expression, ComparesAcrossKinds) {
  EXPECT_EQ(Render("{{ '1' == 1 }} {{ none == false }} {{ true == 1 }} {{ (1,) == [1] }} {{ {'a': "
                   "1} == {'a': 1.0} }}"),
            "False False True False True");
}

TEST(Expression, FindsMembers) {
  EXPECT_EQ(Render("{{ 'a' in 'cat' }} {{ 'b' not in ['a'] }} {{ 'k' in {'k': 1} }} {{ 1 in (1, 2) "
                   "}} {{ 1.0 in [1] }} {{ 2 in range(3) }} {{ 1 in undefined_name }}"),
            "True True True True True True False");
}

TEST(Expression, ReturnsOperandsFromLogic) {
  EXPECT_EQ(
      Render("{{ '' or 'd' }} {{ 0 and 1 }} {{ 1 and 'y' }} {{ not '' }} {{ none or false }}"),
      "d 0 y True False");
}

TEST(Expression, ChoosesInline) {
  EXPECT_EQ(Render("{{ 'a' if false }}|{{ 'a' if 0 else 'b' if 0 else 'c' }}"), "|c");
}

TEST(Expression, SlicesByCodePoints) {
  EXPECT_EQ(
      Render("{{ s[1:3] }}|{{ s[::-1] }}|{{ s[-2:] }}|{{ s[5:1:-2] }}|{{ s[9:] }}|{{ s[:-9] }}",
             R"({"s": "日本🚀é!x"})"),
      "本🚀|x!é🚀本日|!x|xé||");
  EXPECT_EQ(Render("{{ [1,2,3][::-2] }} {{ (1,2,3)[1:] }}"), "[3, 1] (2, 3)");
}

TEST(Expression, IndexesFromBothEnds) {
  EXPECT_EQ(
      Render("{{ l[0] }}{{ l[-1] }}{{ l[9] }}{{ l.1 }}{{ s[1] }}", R"({"l": [1, 2], "s": "aé"})"),
      "122é");
}

TEST(Expression, PrefersMethodsWithDotsAndKeysWithBrackets) {
  EXPECT_EQ(
      Render("{{ d.items is callable }} {{ d['items'] }} {{ d.x }} {{ d['upper'] is defined }}",
             R"({"d": {"items": 5, "x": 1}})"),
      "True 5 1 False");
}

TEST(Expression, LetsUndefinedPrintNothing) {
  EXPECT_EQ(Render("{{ x }}|{{ x | length }}|{% for i in x %}{% endfor %}|{{ x is defined }}|{{ x "
                   "== y }}|{{ [x] }}"),
            "|0||False|True|[Undefined]");
}

TEST(Expression, HidesWhatTheSandboxHides) {
  EXPECT_EQ(
      Render(
          "{{ ''.__class__ }}|{{ d.pop is defined }}|{{ [].append is defined }}|{{ d.__init__ }}",
          R"({"d": {}})"),
      "|False|False|");
}

TEST(Expression, KeepsTheFirstKeyAndTheLastValueOfADict) {
  EXPECT_EQ(Render("{{ {1: 'a', true: 'b', 1.0: 'c'} }}"), "{1: 'c'}");
}

TEST(Expression, RepeatsAndAddsSequences) {
  EXPECT_EQ(Render("{{ 'ab' * 2 }} {{ [1] * 3 }} {{ 2 * (1, 2) }} {{ [1] + [2] }} {{ 'x' * -1 }}|"),
            "abab [1, 1, 1] (1, 2, 1, 2) [1, 2] |");
}

TEST(Expression, PassesListsAndDictsAsArguments) {
  EXPECT_EQ(Render("{% macro f(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ f(*[1, 2]) }}{{ f(**{'b': 3, "
                   "'a': 4}) }}{{ f(1, *[2]) }}"),
            "124312");
}

TEST(Expression, JoinsAdjacentStrings) { EXPECT_EQ(Render("{{ 'a' \"b\" 'c' }}"), "abc"); }

}  // namespace
}  // namespace switchboard::text
