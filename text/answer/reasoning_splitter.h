// Separates a model's thoughts, `<think>...</think>`, from what it answers.
#ifndef SWITCHBOARD_TEXT_ANSWER_REASONING_SPLITTER_H_
#define SWITCHBOARD_TEXT_ANSWER_REASONING_SPLITTER_H_

#include <string>

#include "absl/strings/string_view.h"
#include "text/marked_text.h"

namespace switchboard::text {

// Where thoughts go.
enum class ReasoningMode {
  kInline,  // nowhere: the text stays as it is
  kSplit,   // into a text of their own
  kDrop,    // away
};

// What the prompt says about the thought at the beginning of the answer.
enum class Thought {
  kNotOpened,  // nothing: the answer may open one itself
  kOpen,       // the answer begins within it
  kClosed,     // it is over: all of the answer is content
};

// Reads it off the end of a prompt: its last stretch of template text and the data behind that (the
// beginning of an answer that is to be continued). Thoughts that people quote elsewhere do not
// count.
Thought ThoughtAfterPrompt(const MarkedText& prompt);

struct SplitText {
  std::string reasoning, content;
};

// A thought stands only at the beginning, behind white space at most, and ends with the first
// `</think>`; if that never comes, everything is reasoning. From the content, the tags <think>,
// </think>, <answer> and </answer> are taken out wherever they stand, and one line feed behind a
// </think>. What is handed out, put together, does not depend on how the text was cut into calls.
// Not thread-safe.
class ReasoningSplitter {
 public:
  ReasoningSplitter(ReasoningMode mode, Thought at_start);

  // Takes more text and returns what can be shown now; in the modes other than kInline, an ending
  // that could still become a tag is held back.
  SplitText Add(absl::string_view text);
  // The text ends here: what was held back.
  SplitText Finish();

  // Whether the text so far ends within a thought; and whether it contains the end of one. In all
  // modes.
  bool thinking() const { return phase_ == Phase::kThought; }
  bool thought_ended() const { return thought_ended_; }

 private:
  enum class Phase {
    kStart,  // only white space so far
    kThought,
    kAfterClose,  // right behind a </think>
    kContent,
  };

  // Each consumes what it can of `held_` and returns whether the next phase may go on.
  bool Start(SplitText* out);
  bool InThought(SplitText* out);
  bool AfterClose();
  bool InContent(SplitText* out);

  // What of `out` is shown for input `text`.
  SplitText Shown(SplitText out, absl::string_view text) const;
  std::string Take(size_t bytes);

  const ReasoningMode mode_;
  Phase phase_;
  bool thought_ended_ = false;
  std::string held_;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_ANSWER_REASONING_SPLITTER_H_
