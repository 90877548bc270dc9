#include "text/answer/reasoning_splitter.h"

#include <gtest/gtest.h>

#include <vector>

namespace switchboard::text {
namespace {

struct Texts {
  std::string reasoning, content;
  friend bool operator==(const Texts&, const Texts&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Texts& texts) {
    return out << "{" << texts.reasoning << "|" << texts.content << "}";
  }
};

// All that is shown when the text comes in pieces of `size` bytes.
Texts Split(ReasoningMode mode, Thought thought, const std::string& text, size_t size) {
  ReasoningSplitter splitter(mode, thought);
  Texts all;
  const auto add = [&](const SplitText& part) {
    all.reasoning += part.reasoning;
    all.content += part.content;
  };
  for (size_t at = 0; at < text.size(); at += size) {
    add(splitter.Add(absl::string_view(text).substr(at, size)));
  }
  add(splitter.Finish());
  return all;
}

// Splits the text whole, and checks that pieces of every size give the same.
Texts Split(const std::string& text, Thought thought = Thought::kNotOpened,
            ReasoningMode mode = ReasoningMode::kSplit) {
  const Texts whole = Split(mode, thought, text, text.size() + 1);
  for (size_t size = 1; size <= text.size(); ++size) {
    EXPECT_EQ(Split(mode, thought, text, size), whole) << "in pieces of " << size;
  }
  return whole;
}

TEST(ReasoningSplitter, SeparatesTheThoughtAndStripsTheTags) {
  EXPECT_EQ(Split("<think>why</think>\n<answer>because</answer>"), (Texts{"why", "because"}));
}

TEST(ReasoningSplitter, TakesOneLineFeedBehindTheThought) {
  EXPECT_EQ(Split("<think>a</think>\n\nb"), (Texts{"a", "\nb"}));
  EXPECT_EQ(Split("<think>\na\n</think> b\n"), (Texts{"\na\n", " b\n"}));
}

TEST(ReasoningSplitter, TakesAThoughtThatThePromptOpened) {
  EXPECT_EQ(Split("step</think><answer>42</answer>", Thought::kOpen), (Texts{"step", "42"}));
}

TEST(ReasoningSplitter, TakesAllAsContentBehindAThoughtThatThePromptClosed) {
  EXPECT_EQ(Split("42</answer>", Thought::kClosed), (Texts{"", "42"}));
  EXPECT_EQ(Split("<think>a</think>b", Thought::kClosed), (Texts{"", "ab"}));
}

TEST(ReasoningSplitter, TakesAllAsContentWithoutAThought) {
  EXPECT_EQ(Split("do(action=\"Tap\") <b>"), (Texts{"", "do(action=\"Tap\") <b>"}));
}

TEST(ReasoningSplitter, TakesAllAsReasoningWhenTheThoughtNeverEnds) {
  EXPECT_EQ(Split("<think>on and on</thin"), (Texts{"on and on</thin", ""}));
  EXPECT_EQ(Split("on and on", Thought::kOpen), (Texts{"on and on", ""}));
}

TEST(ReasoningSplitter, OpensAThoughtOnlyAtTheBeginning) {
  EXPECT_EQ(Split(" \n<think>a</think>b"), (Texts{"a", "b"}));
  EXPECT_EQ(Split("x <think>a</think>b"), (Texts{"", "x ab"}));
  EXPECT_EQ(Split("<think>a</think>b<think>c</think>\nd"), (Texts{"a", "bcd"}));
  EXPECT_EQ(Split(std::string(65, ' ') + "<think>a"), (Texts{"", std::string(65, ' ') + "a"}));
}

TEST(ReasoningSplitter, KeepsWhatOnlyLooksLikeATag) {
  EXPECT_EQ(Split("a<thinking> </answers <<answer>b<"), (Texts{"", "a<thinking> </answers <b<"}));
  EXPECT_EQ(Split("<think>a</thinker></think>b"), (Texts{"a</thinker>", "b"}));
  EXPECT_EQ(Split("<thin"), (Texts{"", "<thin"}));
  EXPECT_EQ(Split(" \n"), (Texts{"", " \n"}));
}

TEST(ReasoningSplitter, DropsTheThoughtWhenAsked) {
  EXPECT_EQ(Split("<think>why</think>\n<answer>x", Thought::kNotOpened, ReasoningMode::kDrop),
            (Texts{"", "x"}));
}

TEST(ReasoningSplitter, LeavesTheTextAloneInline) {
  const std::string text = "<think>why</think>\n<answer>x</answer>";
  EXPECT_EQ(Split(text, Thought::kNotOpened, ReasoningMode::kInline), (Texts{"", text}));
}

TEST(ReasoningSplitter, ShowsInlineTextAtOnce) {
  ReasoningSplitter splitter(ReasoningMode::kInline, Thought::kNotOpened);
  EXPECT_EQ(splitter.Add("<thi").content, "<thi");
  EXPECT_EQ(splitter.Add("nk>").content, "nk>");
  EXPECT_TRUE(splitter.thinking());
}

TEST(ReasoningSplitter, HoldsBackNoMoreThanCouldBecomeATag) {
  ReasoningSplitter splitter(ReasoningMode::kSplit, Thought::kOpen);
  EXPECT_EQ(splitter.Add("a</b").reasoning, "a</b");
  EXPECT_EQ(splitter.Add("c</th").reasoning, "c");
  EXPECT_EQ(splitter.Add("e").reasoning, "</the");
}

TEST(ReasoningSplitter, TellsWhenTheThoughtEnds) {
  ReasoningSplitter splitter(ReasoningMode::kDrop, Thought::kNotOpened);
  EXPECT_FALSE(splitter.thinking());
  splitter.Add("<think>a</think");
  EXPECT_TRUE(splitter.thinking());
  EXPECT_FALSE(splitter.thought_ended());
  splitter.Add(">");
  EXPECT_FALSE(splitter.thinking());
  EXPECT_TRUE(splitter.thought_ended());
}

TEST(ThoughtAfterPrompt, ReadsTheEndOfTheTemplate) {
  MarkedText prompt = MarkedText::Literal("<|user|>\n");
  prompt.Append("<think> what is this?", false);
  prompt.Append("<|assistant|>\n", true);
  EXPECT_EQ(ThoughtAfterPrompt(prompt), Thought::kNotOpened);
  MarkedText closed = prompt, open = prompt;
  closed.Append("<think></think><answer>", true);
  EXPECT_EQ(ThoughtAfterPrompt(closed), Thought::kClosed);
  open.Append("<think>\n", true);
  EXPECT_EQ(ThoughtAfterPrompt(open), Thought::kOpen);
}

TEST(ThoughtAfterPrompt, ReadsTheAnswerThatIsToBeContinued) {
  MarkedText prompt = MarkedText::Literal("<|assistant|>\n");
  prompt.Append("<think>so far", false);
  EXPECT_EQ(ThoughtAfterPrompt(prompt), Thought::kOpen);
  prompt.Append("</think>\nwell", false);
  EXPECT_EQ(ThoughtAfterPrompt(prompt), Thought::kClosed);
}

TEST(ThoughtAfterPrompt, ReadsAPromptWithoutATemplate) {
  EXPECT_EQ(ThoughtAfterPrompt(MarkedText()), Thought::kNotOpened);
  EXPECT_EQ(ThoughtAfterPrompt(MarkedText::Data("Q: 1+1?\n<think>")), Thought::kOpen);
}

}  // namespace
}  // namespace switchboard::text
