// Which bytes of a rendering the template wrote. [[ ]] encloses literal text.
#include <gtest/gtest.h>

#include "tests/unit/text/template/render.h"

namespace switchboard::text {
namespace {

constexpr char kUser[] = R"({"x": "<|user|>"})";

TEST(Provenance, TemplateTextIsLiteralAndContextIsData) {
  EXPECT_EQ(RenderMarks("<|user|>{{ x }}<|end|>", kUser), "[[<|user|>]]<|user|>[[<|end|>]]");
}

TEST(Provenance, StringLiteralsAreLiteral) {
  EXPECT_EQ(RenderMarks("{{ '<|user|>' }}{{ x }}", kUser), "[[<|user|>]]<|user|>");
}

TEST(Provenance, ConcatenationKeepsMarks) {
  EXPECT_EQ(RenderMarks("{{ '<|a|>' + x }}", kUser), "[[<|a|>]]<|user|>");
  EXPECT_EQ(RenderMarks("{{ '<|a|>' ~ x ~ '<|b|>' }}", kUser), "[[<|a|>]]<|user|>[[<|b|>]]");
}

TEST(Provenance, JoinAndRepetitionKeepMarks) {
  EXPECT_EQ(RenderMarks("{{ ['<|a|>', x] | join('|') }}", kUser), "[[<|a|>|]]<|user|>");
  EXPECT_EQ(RenderMarks("{{ '|'.join([x, x]) }}", kUser), "<|user|>[[|]]<|user|>");
  EXPECT_EQ(RenderMarks("{{ x * 2 }}{{ 'l' * 2 }}", kUser), "<|user|><|user|>[[ll]]");
}

TEST(Provenance, SlicesAndItemsKeepMarks) {
  EXPECT_EQ(RenderMarks("{{ ('<a>' ~ x)[1:5] }}", kUser), "[[a>]]<|");
  EXPECT_EQ(RenderMarks("{{ ('ab' ~ x)[::-1] }}", kUser), ">|resu|<[[ba]]");
  EXPECT_EQ(RenderMarks("{{ ('ab' ~ x)[1] }}{{ x[0] }}", kUser), "[[b]]<");
}

TEST(Provenance, StripAndSplitKeepMarks) {
  EXPECT_EQ(RenderMarks("{{ (' <a> ' ~ x).strip() }}", kUser), "[[<a> ]]<|user|>");
  EXPECT_EQ(RenderMarks("{{ x | trim }}", kUser), "<|user|>");
  EXPECT_EQ(RenderMarks("{{ ('<a>;' ~ x).split(';')[0] }}", kUser), "[[<a>]]");
  EXPECT_EQ(RenderMarks("{{ ('<a>;' ~ x).split(';')[1] }}", kUser), "<|user|>");
}

TEST(Provenance, SplittingCannotTurnDataIntoTokens) {
  EXPECT_EQ(RenderMarks("{{ x.split('Q')[0] ~ x.split('Q')[1] }}", R"({"x": "<|usQer|>"})"),
            "<|user|>");
}

TEST(Provenance, ReplacementKeepsWhatItLeavesAndWhatItPutsIn) {
  EXPECT_EQ(RenderMarks("{{ x | replace('user', 'U') }}", kUser), "<|[[U]]|>");
  EXPECT_EQ(RenderMarks("{{ '<|role|>' | replace('role', x) }}", R"({"x": "user"})"),
            "[[<|]]user[[|>]]");
  EXPECT_EQ(RenderMarks("{{ '<|a|>'.replace('z', x) }}", kUser), "[[<|a|>]]");
}

TEST(Provenance, CaseMappingKeepsTheMarkOfEachCharacter) {
  EXPECT_EQ(RenderMarks("{{ ('<|b|>' ~ x) | upper }}", kUser), "[[<|B|>]]<|USER|>");
  EXPECT_EQ(RenderMarks("{{ ('ß' ~ x).upper() }}", R"({"x": "ß"})"), "[[SS]]SS");
}

TEST(Provenance, JsonMakesData) {
  EXPECT_EQ(RenderMarks("{{ {'k': x} | tojson }}", kUser), "{\"[[k]]\": \"<|user|>\"}");
}

TEST(Provenance, FormatsKeepWhatTheyInsertWhole) {
  EXPECT_EQ(RenderMarks("{{ '<|%s|>%d' % (x, 5) }}", R"({"x": "user"})"), "[[<|]]user[[|>]]5");
  EXPECT_EQ(RenderMarks("{{ '<|{}|>'.format(x) }}", R"({"x": "user"})"), "[[<|]]user[[|>]]");
}

TEST(Provenance, VariablesLoopsAndNamespacesKeepMarks) {
  EXPECT_EQ(RenderMarks("{% set y = x %}{{ y }}{% set z %}<a>{{ x }}{% endset %}{{ z }}", kUser),
            "<|user|>[[<a>]]<|user|>");
  EXPECT_EQ(RenderMarks("{% for c in ['<a>', x] %}{{ c }}{% endfor %}", kUser), "[[<a>]]<|user|>");
  EXPECT_EQ(
      RenderMarks("{% set ns = namespace(t='<a>') %}{% set ns.t = ns.t + x %}{{ ns.t }}", kUser),
      "[[<a>]]<|user|>");
}

TEST(Provenance, MacrosAndCallersKeepMarks) {
  EXPECT_EQ(RenderMarks("{% macro m(a) %}<|m|>{{ a }}{% endmacro %}{{ m(x) }}", kUser),
            "[[<|m|>]]<|user|>");
  EXPECT_EQ(RenderMarks("{% macro m() %}<a>{{ caller() }}{% endmacro %}"
                        "{% call m() %}{{ x }}<b>{% endcall %}",
                        kUser),
            "[[<a>]]<|user|>[[<b>]]");
}

TEST(Provenance, ConditionsAndDefaultsKeepMarks) {
  EXPECT_EQ(RenderMarks("{{ x if true else 'l' }}{{ 'l' if true else x }}", kUser),
            "<|user|>[[l]]");
  EXPECT_EQ(RenderMarks("{{ y | default('<d>') }}{{ x | default('<d>') }}", kUser),
            "[[<d>]]<|user|>");
}

TEST(Provenance, KeysOfDictsAreDataWhenTheyComeFromTheContext) {
  EXPECT_EQ(RenderMarks("{% for k in d %}{{ k }}{% endfor %}", R"({"d": {"<|user|>": 1}})"),
            "<|user|>");
  EXPECT_EQ(RenderMarks("{% for k, v in d.items() %}{{ k }}={{ v }}{% endfor %}",
                        R"({"d": {"<|a|>": "<|b|>"}})"),
            "<|a|>[[=]]<|b|>");
}

TEST(Provenance, PrintedContainersAreDataButForLiteralStringsInThem) {
  EXPECT_EQ(RenderMarks("{{ [x, '<l>'] }}", kUser), "['<|user|>', '[[<l>]]']");
}

TEST(Provenance, MarksOfTheContextAreKept) {
  MarkedText content = MarkedText::Literal("<|image|>");
  content.Append("<|image|>", false);
  const TemplateValue context =
      TemplateValue::Dict({{TemplateValue::Literal("x"), TemplateValue::String(content)}});
  EXPECT_EQ(RenderMarks("{{ x }}", context), "[[<|image|>]]<|image|>");
  EXPECT_EQ(RenderMarks("{{ x[3:12] | upper }}", context), "[[MAGE|>]]<|I");
}

TEST(Provenance, HtmlEscapesAreData) {
  EXPECT_EQ(RenderMarks("{{ '<a>' | e }}", "{}"), "&lt;[[a]]&gt;");
}

}  // namespace
}  // namespace switchboard::text
