// Methods of strings, lists and dicts. Expected texts are jinja2 3.1's.
#include <gtest/gtest.h>

#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

TEST(Method, SplitSeparates) {
  EXPECT_EQ(
      Render(
          "{{ 'a,b,,c'.split(',') }} {{ ' a  b '.split() }} {{ 'a,b,c'.split(',', 1) }} {{ ' a b  "
          "c '.split(none, 1) }} {{ ' a b c '.rsplit(none, 1) }} {{ 'a,b,c'.rsplit(',', 1) }}"),
      "['a', 'b', '', 'c'] ['a', 'b'] ['a', 'b,c'] ['a', 'b  c '] [' a b', 'c'] ['a,b', 'c']");
}

TEST(Method, SplitlinesKnowsAllLineBreaks) {
  EXPECT_EQ(Render("{{ 'a\nb\r\nc\013d\342\200\250e'.splitlines() }} {{ 'a\nb\n'.splitlines(true) "
                   "}} {{ ''.splitlines() }}"),
            "['a', 'b', 'c', 'd', 'e'] ['a\\n', 'b\\n'] []");
}

TEST(Method, PartitionCutsInThree) {
  EXPECT_EQ(Render("{{ 'a=b=c'.partition('=') }} {{ 'a=b=c'.rpartition('=') }} {{ "
                   "'a'.partition('=') }} {{ 'a'.rpartition('=') }}"),
            "('a', '=', 'b=c') ('a=b', '=', 'c') ('a', '', '') ('', '', 'a')");
}

TEST(Method, StripTakesCharacters) {
  EXPECT_EQ(Render("[{{ '  a '.strip() }}][{{ 'xyaxy'.strip('yx') }}][{{ 'xxa'.lstrip('x') }}][{{ "
                   "'a\n\n'.rstrip('\n') }}][{{ 'x'.strip('x') }}]"),
            "[a][a][a][a][]");
}

TEST(Method, CaseMethodsAreFullUnicode) {
  EXPECT_EQ(Render("{{ 'ǅ ﬁ ß'.upper() }} {{ 'İI'.lower() }} {{ 'ΑΣ ΑΣΑ'.lower() }} {{ 'hello "
                   "it\\'s ﬁx ǆa'.title() }} {{ 'aB cD'.capitalize() }} {{ 'aBß'.swapcase() }}"),
            "Ǆ FI SS i̇i ας ασα Hello It'S Fix ǅa Ab cd AbSS");
}

TEST(Method, FindAndCountByCodePoints) {
  EXPECT_EQ(Render("{{ 'éabcb'.find('b') }} {{ 'abcb'.rfind('b') }} {{ 'abc'.find('z') }} {{ "
                   "'aab'.count('a') }} {{ 'abc'.index('c') }} {{ 'abc'.count('') }} {{ "
                   "'abc'.find('b', 2) }} {{ 'abc'.find('', 9) }}"),
            "2 3 -1 2 2 4 -1 -1");
}

TEST(Method, StartswithTakesTuplesAndBounds) {
  EXPECT_EQ(
      Render(
          "{{ 'abc'.startswith('a') }} {{ 'abc'.startswith(('x', 'a')) }} {{ 'abc'.startswith('b', "
          "1) }} {{ 'abc'.endswith('b', 0, 2) }} {{ 'abc'.endswith('') }}"),
      "True True True True True");
}

TEST(Method, ClassesOfCharacters) {
  EXPECT_EQ(
      Render("{{ '12'.isdigit() }} {{ '²'.isdigit() }} {{ '½'.isnumeric() }} {{ '²'.isdecimal() }} "
             "{{ 'aé'.isalpha() }} {{ 'a1'.isalnum() }} {{ '\343\200\200'.isspace() }} {{ "
             "''.isalpha() }} {{ 'A1'.isupper() }} {{ 'aB'.islower() }} {{ 'Ab Cd'.istitle() }} {{ "
             "'a_1'.isidentifier() }} {{ ''.isprintable() }}"),
      "True True True False True True True False True False True True True");
}

TEST(Method, ReplaceJoinAndAffixes) {
  EXPECT_EQ(Render("{{ 'aaa'.replace('a', 'b', 1) }} {{ '-'.join(['a', 'b']) }} {{ "
                   "'abc'.removeprefix('a').removesuffix('c') }} {{ 'abc'.removeprefix('x') }}"),
            "baa a-b b abc");
}

TEST(Method, PaddingFills) {
  EXPECT_EQ(
      Render("{{ '7'.zfill(3) }} {{ '-7'.zfill(4) }} {{ 'a'.ljust(3, '.') }} {{ 'a'.rjust(3) }} {{ "
             "'ab'.center(5, '*') }} {{ 'ab'.center(6, '*') }} {{ 'a\tb'.expandtabs(4) }}"),
      "007 -007 a..   a **ab* **ab** a   b");
}

TEST(Method, FormatReadsItsSpecs) {
  EXPECT_EQ(
      Render("{{ '{} {}'.format('a', 1) }} {{ '{x:>5}|{0:.2f}'.format(1.5, x='q') }} {{ "
             "'{:,}|{:+d}|{:#x}|{:08.3f}|{:^7}|{:%}'.format(1234567, 5, 255, 3.14159, 'mid', 0.5) "
             "}} {{ '{{}}{0[a]}{1[0]}'.format({'a': 1}, [2]) }} {{ '{!r}'.format('x') }}"),
      "a 1     q|1.50 1,234,567|+5|0xff|0003.142|  mid  |50.000000% {}12 'x'");
}

TEST(Method, PercentReadsItsSpecs) {
  EXPECT_EQ(Render("{{ '%s has %d and %.2f' % ('x', 3, 1.5) }} {{ '%r %%' % ('a',) }} {{ "
                   "'%5.1f|%-6d|%x|%X|%o|%e|%g|%c|%+d|%.3d' % (3.14159, 42, 255, 255, 8, "
                   "12345.678, 0.0001, 65, 7, 5) }} {{ '%(a)s' % {'a': 1} }} {{ '%*d' % (4, 7) }}"),
            "x has 3 and 1.50 'a' %   3.1|42    |ff|FF|10|1.234568e+04|0.0001|A|+7|005 1    7");
}

TEST(Method, DictMethodsGiveViews) {
  EXPECT_EQ(Render("{{ d.items() }} {{ d.keys() }} {{ d.values() }} {{ d.get('a') }} {{ d.get('z') "
                   "}} {{ d.get('z', 0) }} {{ 'a' in d.keys() }}",
                   R"({"d": {"a": 1, "b": null}})"),
            "dict_items([('a', 1), ('b', None)]) dict_keys(['a', 'b']) dict_values([1, None]) 1 "
            "None 0 True");
}

TEST(Method, ListMethodsSearch) {
  EXPECT_EQ(Render("{{ [1, 2].index(2) }} {{ [1, 1.0, true].count(1) }} {{ (1, 2).index(1) }} {{ "
                   "[1].copy() }}"),
            "1 3 0 [1]");
}

TEST(Method, EncodeGivesBytes) {
  EXPECT_EQ(
      Render("{{ 'é'.encode('utf-8') }} {{ 'é'.encode() | length }} {{ 'é'.encode().decode() }}"),
      "b'\\xc3\\xa9' 2 é");
}

}  // namespace
}  // namespace switchboard::text
