// Filters. Expected texts are jinja2 3.1's.
#include <gtest/gtest.h>

#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

TEST(Filter, TojsonIsPythonsJsonDumps) {
  EXPECT_EQ(Render("{{ d | tojson }}",
                   R"({"d": {"b": 1, "a": [1, 2.0, null, true], "c": {"x": "é<>&'\""}}})"),
            "{\"b\": 1, \"a\": [1, 2.0, null, true], \"c\": {\"x\": \"é<>&'\\\"\"}}");
  EXPECT_EQ(
      Render("{{ x | tojson }}", R"({"x": "</script> é   \u0000  \\ / \" \b\f\n\r\t 🚀"})"),
      "\"</script> é \342\200\250 \\u0000 \177 \\\\ / \\\" \\b\\f\\n\\r\\t 🚀\"");
  EXPECT_EQ(Render("{{ x | tojson }}", R"({"x": [1e+20, 1e-07, 0.1, 1e+16, -0.0]})"),
            "[1e+20, 1e-07, 0.1, 1e+16, -0.0]");
  EXPECT_EQ(Render("{{ {1: 2, none: 4, 1.5: 5} | tojson }} {{ (1, 2) | tojson }}"),
            "{\"1\": 2, \"null\": 4, \"1.5\": 5} [1, 2]");
}

TEST(Filter, TojsonTakesItsArguments) {
  EXPECT_EQ(Render("{{ d | tojson(indent=2) }}", R"({"d": {"a": [1, {}], "b": []}})"),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}");
  EXPECT_EQ(Render("{{ x | tojson(ensure_ascii=true) }}", R"({"x": "é🚀"})"),
            "\"\\u00e9\\ud83d\\ude80\\u007f\"");
  EXPECT_EQ(Render("{{ {'a': [1]} | tojson(separators=(',', ':')) }}"), "{\"a\":[1]}");
  EXPECT_EQ(Render("{{ d | tojson(sort_keys=true) }}", R"({"d": {"b": 1, "A": 2, "c": 0}})"),
            "{\"A\": 2, \"b\": 1, \"c\": 0}");
  EXPECT_EQ(Render("{{ d | tojson(indent='\\t') }}", R"({"d": {"a": 1}})"), "{\n\t\"a\": 1\n}");
}

TEST(Filter, DefaultReplacesUndefinedOnly) {
  EXPECT_EQ(Render("{{ x | default('d') }}{{ none | default('d') }}{{ '' | default('d') }}{{ '' | "
                   "default('d', true) }}{{ x | d }}|"),
            "dNoned|");
}

TEST(Filter, MapReadsAttributesOrAppliesFilters) {
  EXPECT_EQ(
      Render(
          "{{ m | map(attribute='role') | list }} {{ m | map(attribute='x', default='-') | join }} "
          "{{ ['a'] | map('upper') | first }}",
          R"({"m": [{"role": "system", "content": "S"}, {"role": "user", "content": "U1"}, {"role": "assistant", "content": "A1"}, {"role": "user", "content": "U2"}]})"),
      "['system', 'user', 'assistant', 'user'] ---- A");
}

TEST(Filter, SelectAndRejectTest) {
  EXPECT_EQ(Render("{{ [0, 1, '', 'a'] | select | list }} {{ [1, 2, 3] | reject('odd') | list }}"),
            "[1, 'a'] [2]");
  EXPECT_EQ(
      Render(
          "{{ m | selectattr('role', 'equalto', 'user') | map(attribute='content') | list }} {{ m "
          "| rejectattr('role', 'in', ['user']) | list | length }} {{ m | selectattr('nope') | "
          "list }}",
          R"({"m": [{"role": "system", "content": "S"}, {"role": "user", "content": "U1"}, {"role": "assistant", "content": "A1"}, {"role": "user", "content": "U2"}]})"),
      "['U1', 'U2'] 2 []");
}

TEST(Filter, JoinTakesASeparatorAndAnAttribute) {
  EXPECT_EQ(
      Render(
          "{{ m | join(', ', attribute='role') }} {{ [1, none] | join('-') }} {{ 'abc' | join('.') "
          "}}",
          R"({"m": [{"role": "system", "content": "S"}, {"role": "user", "content": "U1"}, {"role": "assistant", "content": "A1"}, {"role": "user", "content": "U2"}]})"),
      "system, user, assistant, user 1-None a.b.c");
}

TEST(Filter, SortIgnoresCaseUnlessTold) {
  EXPECT_EQ(Render("{{ ['b', 'A', 'c'] | sort }} {{ ['b', 'A'] | sort(case_sensitive=true) }} {{ "
                   "[1, 3, 2] | sort(reverse=true) }}"),
            "['A', 'b', 'c'] ['A', 'b'] [3, 2, 1]");
  EXPECT_EQ(
      Render(
          "{{ x | sort(attribute='a,b') | map(attribute='n') | list }}",
          R"({"x": [{"a": 2, "b": 1, "n": 1}, {"a": 1, "b": 2, "n": 2}, {"a": 1, "b": 1, "n": 3}]})"),
      "[3, 2, 1]");
}

TEST(Filter, SortInReverseIsStable) {
  EXPECT_EQ(Render("{{ x | sort(reverse=true, attribute='k') | map(attribute='n') | list }}",
                   R"({"x": [{"k": 1, "n": 1}, {"k": 1, "n": 2}, {"k": 2, "n": 3}]})"),
            "[3, 1, 2]");
}

TEST(Filter, DictsortSortsByKeyOrValue) {
  EXPECT_EQ(Render("{{ d | dictsort }} {{ d | dictsort(true) }} {{ d | dictsort(by='value') }} {{ "
                   "d | dictsort(reverse=true) | first }}",
                   R"({"d": {"b": 1, "A": 2, "c": 0}})"),
            "[('A', 2), ('b', 1), ('c', 0)] [('A', 2), ('b', 1), ('c', 0)] [('c', 0), ('b', 1), "
            "('A', 2)] ('c', 0)");
}

TEST(Filter, GroupbySortsAndGroups) {
  EXPECT_EQ(
      Render(
          "{% for g in m | groupby('role') %}{{ g.grouper }}:{{ g.list | length }};{% endfor %}",
          R"({"m": [{"role": "system", "content": "S"}, {"role": "user", "content": "U1"}, {"role": "assistant", "content": "A1"}, {"role": "user", "content": "U2"}]})"),
      "assistant:1;system:1;user:2;");
}

TEST(Filter, UniqueMinMaxAndSum) {
  EXPECT_EQ(Render("{{ [1, 2, 1, 'a', 'A'] | unique | list }} {{ [3, 1] | min }} {{ ['b', 'C'] | "
                   "max }} {{ [1, 2.5] | sum }}"),
            "[1, 2, 'a'] 1 C 3.5");
  EXPECT_EQ(Render("{{ m | sum(attribute='n') }}", R"({"m": [{"n": 2}, {"n": 3}]})"), "5");
}

TEST(Filter, FirstLastReverseAndList) {
  EXPECT_EQ(Render("{{ 'abc' | first }}{{ [1, 2] | last }}{{ [] | first }}|{{ [1, 2] | reverse | "
                   "list }}{{ 'abc' | reverse }}{{ {'a': 1} | list }}"),
            "a2|[2, 1]cba['a']");
}

TEST(Filter, BatchAndSliceCut) {
  EXPECT_EQ(Render("{{ [1,2,3,4,5] | batch(2) | list }} {{ [1,2,3] | batch(2, 0) | list }} {{ "
                   "[1,2,3,4] | slice(3) | list }} {{ [1,2,3] | slice(2, 'f') | list }}"),
            "[[1, 2], [3, 4], [5]] [[1, 2], [3, 0]] [[1, 2], [3], [4]] [[1, 2], [3, 'f']]");
}

TEST(Filter, TrimTakesCharacters) {
  EXPECT_EQ(Render("[{{ '  a b \n' | trim }}] [{{ 'xxaxx' | trim('x') }}] [{{ "
                   "'\302\240\343\200\200a\342\200\213' | trim }}]"),
            "[a b] [a] [a\342\200\213]");
}

TEST(Filter, CaseFiltersAreFullUnicode) {
  EXPECT_EQ(Render("{{ 'Straße ǆ' | upper }} {{ 'ÀΑΣ' | lower }} {{ 'hello wORLD-foo it\\'s (x' | "
                   "title }} {{ 'hELLO' | capitalize }}"),
            "STRASSE Ǆ àας Hello World-Foo It's (X Hello");
}

TEST(Filter, ReplaceCounts) {
  EXPECT_EQ(Render("{{ 'aXbXc' | replace('X', '-') }} {{ 'aaa' | replace('a', 'b', 2) }} {{ 'ab' | "
                   "replace('', '.') }}"),
            "a-b-c bba .a.b.");
}

TEST(Filter, IntAndFloatReadWhatTheyCan) {
  EXPECT_EQ(
      Render(
          "{{ '42' | int }} {{ ' 4.9 ' | int }} {{ 'x' | int(7) }} {{ 3.9 | int }} {{ '0x1f' | "
          "int(0, 16) }} {{ '1_0' | int }} {{ '1.5' | float }} {{ 'y' | float }} {{ none | int }}"),
      "42 4 7 3 31 10 1.5 0.0 0");
}

TEST(Filter, RoundRoundsHalfToEven) {
  EXPECT_EQ(Render("{{ 2.5 | round }} {{ 3.5 | round }} {{ 2.675 | round(2) }} {{ 3.7 | round(0, "
                   "'floor') }} {{ 3.14 | round(1, 'ceil') }} {{ 5 | round }} {{ -5 | abs }}"),
            "2.0 4.0 2.67 3.0 3.2 5 5");
}

TEST(Filter, IndentAndCenterLayOut) {
  EXPECT_EQ(
      Render("{{ 'a\nb\n\nc' | indent }}|{{ 'a\nb' | indent(2, true) }}|{{ 'a\n\nb' | "
             "indent(width=1, blank=true) }}|{{ 'a\nb' | indent('> ') }}|{{ 'x' | center(4) }}|"),
      "a\n    b\n\n    c|  a\n  b|a\n \n b|a\n> b| x  |");
}

TEST(Filter, TruncateAndWordwrapBreak) {
  EXPECT_EQ(Render("{{ 'the quick brown fox jumps' | truncate(12) }}|{{ 'the quick brown fox "
                   "jumps' | truncate(12, true, '~', 0) }}|{{ 'short' | truncate(3) }}"),
            "the...|the quick b~|short");
  EXPECT_EQ(Render("{{ 'a bb ccc dddd-eeee ffffffffff' | wordwrap(5) }}|{{ 'aaaa bb' | wordwrap(2, "
                   "false, '/') }}"),
            "a bb\nccc\ndddd-\neeee \nfffff\nfffff|aaaa/bb");
}

TEST(Filter, EscapeMakesEntities) {
  EXPECT_EQ(Render("{{ '<a>&\"\\'' | e }} {{ '<b>' | e | e }} {{ '<b>' | e | forceescape }} {{ "
                   "'<c>' | safe }} {{ ('<' | e) + '<' }}"),
            "&lt;a&gt;&amp;&#34;&#39; &lt;b&gt; &amp;lt;b&amp;gt; <c> &lt;&lt;");
}

TEST(Filter, UrlencodeXmlattrAndStriptags) {
  EXPECT_EQ(Render("{{ 'aé /?' | urlencode }} {{ {'a': 1, 'b': 'x y'} | urlencode }}{{ {'a': '<', "
                   "'n': none} | xmlattr }} {{ '<p>a</p>  <!-- c -->b &amp; c' | striptags }}"),
            "a%C3%A9%20/%3F a=1&b=x+y a=\"&lt;\" a b & c");
}

TEST(Filter, FormatFillsIn) {
  EXPECT_EQ(Render("{{ '%05d|%-5s|%5s' | format(42, 'a', 'b') }} {{ '%(x)s' | format(x=1) }}"),
            "00042|a    |    b 1");
}

TEST(Filter, LengthItemsAndAttr) {
  EXPECT_EQ(Render("{{ 'é🚀' | length }} {{ d | count }} {{ d | items | list }} {{ d | attr('b') "
                   "}}| {{ 'a b c' | wordcount }} {{ d | pprint }}",
                   R"({"d": {"b": 1, "A": 2, "c": 0}})"),
            "2 3 [('b', 1), ('A', 2), ('c', 0)] | 3 {'A': 2, 'b': 1, 'c': 0}");
}

}  // namespace
}  // namespace switchboard::text
