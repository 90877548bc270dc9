#include "text/answer/stop_matcher.h"

#include <algorithm>
#include <utility>

namespace switchboard::text {
namespace {

std::vector<size_t> Borders(const std::string& text) {
  std::vector<size_t> border(text.size(), 0);
  for (size_t i = 1; i < text.size(); ++i) {
    size_t length = border[i - 1];
    while (length > 0 && text[length] != text[i]) length = border[length - 1];
    border[i] = text[length] == text[i] ? length + 1 : 0;
  }
  return border;
}

}  // namespace

StopMatcher::StopMatcher(const std::vector<std::string>& stops, bool include_stop)
    : include_stop_(include_stop) {
  for (const std::string& stop : stops) {
    if (!stop.empty()) stops_.push_back({stop, Borders(stop)});
  }
}

size_t StopMatcher::Advance(char byte) {
  size_t completed = 0;
  for (Stop& stop : stops_) {
    while (stop.matched > 0 && stop.text[stop.matched] != byte) {
      stop.matched = stop.border[stop.matched - 1];
    }
    if (stop.text[stop.matched] == byte) ++stop.matched;
    if (stop.matched == stop.text.size()) {
      completed = std::max(completed, stop.matched);
      stop.matched = stop.border[stop.matched - 1];
    }
  }
  return completed;
}

size_t StopMatcher::LongestMatched() const {
  size_t longest = 0;
  for (const Stop& stop : stops_) longest = std::max(longest, stop.matched);
  return longest;
}

std::string StopMatcher::Add(absl::string_view text, bool armed) {
  if (stopped_) return "";
  for (const char byte : text) {
    held_.push_back(byte);
    const size_t completed = Advance(byte);
    if (completed == 0 || !armed) continue;
    stopped_ = true;
    const size_t begin = held_.size() - completed;
    stop_string_ = held_.substr(begin);
    if (!include_stop_) held_.resize(begin);
    return std::exchange(held_, "");
  }
  std::string out = held_.substr(0, held_.size() - LongestMatched());
  held_.erase(0, out.size());
  return out;
}

std::string StopMatcher::Finish() { return std::exchange(held_, ""); }

}  // namespace switchboard::text
