#include "text/answer/answer_builder.h"

#include <utility>

namespace switchboard::text {

AnswerBuilder::AnswerBuilder(const Tokenizer* tokenizer, const AnswerOptions& options)
    : min_tokens_(options.min_tokens),
      decoder_(tokenizer, options.skip_special),
      splitter_(options.reasoning, options.thought),
      stops_(options.stops, options.include_stop) {}

AnswerDelta AnswerBuilder::Add(int32_t id) {
  if (stops_.stopped()) return Match({});
  ++tokens_;
  const bool thought_was_over = splitter_.thought_ended();
  SplitText split = splitter_.Add(decoder_.Add(id));
  if (splitter_.thinking() || (splitter_.thought_ended() && !thought_was_over)) {
    reasoning_tokens_ = tokens_;
  }
  return Match(std::move(split));
}

AnswerDelta AnswerBuilder::Finish() {
  SplitText split = splitter_.Add(decoder_.Finish());
  const SplitText rest = splitter_.Finish();
  split.reasoning += rest.reasoning;
  split.content += rest.content;
  AnswerDelta delta = Match(std::move(split));
  if (!delta.stopped) delta.content += stops_.Finish();
  return delta;
}

AnswerDelta AnswerBuilder::Match(SplitText split) {
  AnswerDelta delta;
  if (!stops_.stopped()) delta.reasoning = std::move(split.reasoning);
  delta.content = stops_.Add(split.content, /*armed=*/tokens_ >= min_tokens_);
  delta.stopped = stops_.stopped();
  delta.stop_string = stops_.stop_string();
  return delta;
}

}  // namespace switchboard::text
