// From the ids of one choice to the texts that a client gets, piece by piece.
#ifndef SWITCHBOARD_TEXT_ANSWER_ANSWER_BUILDER_H_
#define SWITCHBOARD_TEXT_ANSWER_ANSWER_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "text/answer/reasoning_splitter.h"
#include "text/answer/stop_matcher.h"
#include "text/tokenizer/incremental_decoder.h"
#include "text/tokenizer/tokenizer.h"

namespace switchboard::text {

struct AnswerOptions {
  bool skip_special = true;  // special tokens do not show
  ReasoningMode reasoning = ReasoningMode::kInline;
  Thought thought = Thought::kNotOpened;  // as the prompt left it
  std::vector<std::string> stops;
  bool include_stop = false;  // the stop string stays in the content
  int64_t min_tokens = 0;     // a stop string that an earlier token completes is ordinary text
};

// Texts to append to the choice.
struct AnswerDelta {
  std::string reasoning;
  std::string content;
  bool stopped = false;     // a stop string ended the choice, with this delta or before
  std::string stop_string;  // which one
};

// Decoder, then splitter, then stop strings: these are looked for in the content as the client sees
// it, never in separated thoughts, and tags that the splitter takes out cannot match. In kInline
// thoughts are content.
//
// The deltas put together are the texts of the whole, whether they are sent one by one or at the
// end. Not thread-safe.
class AnswerBuilder {
 public:
  // `tokenizer` must outlive the builder.
  AnswerBuilder(const Tokenizer* tokenizer, const AnswerOptions& options);

  // The next token of the choice (not the token that ended it, unless it should show). After a
  // stop: ignored.
  AnswerDelta Add(int32_t id);
  // The choice ended without a stop string: everything that was held back. Call once.
  AnswerDelta Finish();

  // Tokens added before or with the stop.
  int64_t tokens() const { return tokens_; }
  // Those up to and including the end of the thought; all while it lasts, none without a thought.
  int64_t reasoning_tokens() const { return reasoning_tokens_; }

 private:
  // Passes split text through the stop matcher.
  AnswerDelta Match(SplitText split);

  const int64_t min_tokens_;
  IncrementalDecoder decoder_;
  ReasoningSplitter splitter_;
  StopMatcher stops_;
  int64_t tokens_ = 0, reasoning_tokens_ = 0;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_ANSWER_ANSWER_BUILDER_H_
