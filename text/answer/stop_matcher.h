// Ends a text at the first stop string, without ever handing out a piece of one.
#ifndef SWITCHBOARD_TEXT_ANSWER_STOP_MATCHER_H_
#define SWITCHBOARD_TEXT_ANSWER_STOP_MATCHER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace switchboard::text {

// The text ends at the stop string whose last byte comes first, the longest of those that end
// together. What is handed out, put together, does not depend on how the text was cut into calls.
// Not thread-safe.
class StopMatcher {
 public:
  // Empty stop strings are ignored. With `include_stop` the text ends after the stop string, else
  // before.
  StopMatcher(const std::vector<std::string>& stops, bool include_stop);

  // Takes more text and returns what can be shown now. An ending that could still become a stop
  // string is held back. A stop string that is completed while not `armed` is ordinary text. After
  // a stop: nothing.
  std::string Add(absl::string_view text, bool armed = true);
  // The text ends here: what was held back.
  std::string Finish();

  bool stopped() const { return stopped_; }
  // The stop string that ended the text; empty before.
  const std::string& stop_string() const { return stop_string_; }

 private:
  // A stop string with the Knuth-Morris-Pratt automaton that finds it.
  struct Stop {
    std::string text;
    std::vector<size_t> border;  // [i]: longest proper prefix that also ends text[0..i]
    size_t matched = 0;          // bytes of it that end the text so far
  };

  // Advances all automata by one byte; the length of the longest stop string that it completes, or
  // 0.
  size_t Advance(char byte);
  size_t LongestMatched() const;

  const bool include_stop_;
  std::vector<Stop> stops_;
  std::string held_;  // not handed out yet
  bool stopped_ = false;
  std::string stop_string_;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_ANSWER_STOP_MATCHER_H_
