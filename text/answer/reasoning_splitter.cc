#include "text/answer/reasoning_splitter.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace switchboard::text {
namespace {

constexpr absl::string_view kOpenTag = "<think>";
constexpr absl::string_view kCloseTag = "</think>";
constexpr absl::string_view kTags[] = {kOpenTag, kCloseTag, "<answer>", "</answer>"};

// White space before a thought; more than this is content, so that no text is held back without
// end.
constexpr size_t kMaxLead = 64;

bool CouldBecome(absl::string_view text, absl::string_view tag) {
  return absl::StartsWith(tag, text) && text.size() < tag.size();
}

}  // namespace

Thought ThoughtAfterPrompt(const MarkedText& prompt) {
  const size_t begin = prompt.literal().empty() ? 0 : prompt.literal().back().begin;
  const absl::string_view tail = absl::string_view(prompt.text()).substr(begin);
  const size_t open = tail.rfind(kOpenTag), close = tail.rfind(kCloseTag);
  if (open == tail.npos && close == tail.npos) return Thought::kNotOpened;
  if (close == tail.npos) return Thought::kOpen;
  return open != tail.npos && open > close ? Thought::kOpen : Thought::kClosed;
}

ReasoningSplitter::ReasoningSplitter(ReasoningMode mode, Thought at_start)
    : mode_(mode),
      phase_(at_start == Thought::kNotOpened ? Phase::kStart
             : at_start == Thought::kOpen    ? Phase::kThought
                                             : Phase::kContent) {}

SplitText ReasoningSplitter::Add(absl::string_view text) {
  held_.append(text.data(), text.size());
  SplitText out;
  bool going = true;
  while (going && !held_.empty()) {
    switch (phase_) {
      case Phase::kStart:
        going = Start(&out);
        break;
      case Phase::kThought:
        going = InThought(&out);
        break;
      case Phase::kAfterClose:
        going = AfterClose();
        break;
      case Phase::kContent:
        going = InContent(&out);
        break;
    }
  }
  return Shown(std::move(out), text);
}

SplitText ReasoningSplitter::Finish() {
  SplitText out;
  (thinking() ? out.reasoning : out.content) = std::exchange(held_, "");
  return Shown(std::move(out), "");
}

SplitText ReasoningSplitter::Shown(SplitText out, absl::string_view text) const {
  if (mode_ == ReasoningMode::kInline) return {"", std::string(text)};
  if (mode_ == ReasoningMode::kDrop) out.reasoning.clear();
  return out;
}

std::string ReasoningSplitter::Take(size_t bytes) {
  std::string taken = held_.substr(0, bytes);
  held_.erase(0, bytes);
  return taken;
}

bool ReasoningSplitter::Start(SplitText* out) {
  const absl::string_view rest = absl::StripLeadingAsciiWhitespace(held_);
  const size_t lead = held_.size() - rest.size();
  if (lead <= kMaxLead && CouldBecome(rest, kOpenTag)) return false;
  if (lead <= kMaxLead && absl::StartsWith(rest, kOpenTag)) {
    Take(lead + kOpenTag.size());
    phase_ = Phase::kThought;
  } else {
    phase_ = Phase::kContent;
  }
  return true;
}

bool ReasoningSplitter::InThought(SplitText* out) {
  const absl::string_view held = held_;
  size_t at = held.find('<');
  while (at != held.npos && !absl::StartsWith(held.substr(at), kCloseTag) &&
         !CouldBecome(held.substr(at), kCloseTag)) {
    at = held.find('<', at + 1);
  }
  const bool closed = at != held.npos && absl::StartsWith(held.substr(at), kCloseTag);
  out->reasoning += Take(at);
  if (!closed) return false;
  Take(kCloseTag.size());
  thought_ended_ = true;
  phase_ = Phase::kAfterClose;
  return true;
}

bool ReasoningSplitter::AfterClose() {
  if (held_[0] == '\n') Take(1);
  phase_ = Phase::kContent;
  return true;
}

bool ReasoningSplitter::InContent(SplitText* out) {
  const size_t at = held_.find('<');
  out->content += Take(at);
  if (held_.empty()) return false;
  for (const absl::string_view tag : kTags) {
    if (CouldBecome(held_, tag)) return false;
    if (!absl::StartsWith(held_, tag)) continue;
    Take(tag.size());
    if (tag == kCloseTag) phase_ = Phase::kAfterClose;
    return true;
  }
  out->content += Take(1);  // a `<` of its own
  return true;
}

}  // namespace switchboard::text
