#include "http/limits.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace switchboard::http {
namespace {

constexpr absl::string_view kMethods[] = {"GET",   "HEAD",   "POST",   "PUT",
                                          "PATCH", "DELETE", "OPTIONS"};
constexpr size_t kMaxMethodBytes = 32;
// A request line beside its target: method, two spaces, version.
constexpr size_t kRequestLineRest = kMaxMethodBytes + 11;

Refusal BadRequest(absl::string_view message) { return {400, std::string(message), "bad_request"}; }

Refusal HeadTooLarge(absl::string_view what, size_t limit) {
  return {431, absl::StrCat(what, "; the limit is ", limit), "request_header_fields_too_large"};
}

bool IsTokenChar(unsigned char c) {
  return absl::ascii_isalnum(c) ||
         absl::string_view("!#$%&'*+-.^_`|~").find(c) != absl::string_view::npos;
}

bool IsControl(unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; }

// All values of a header, in order.
std::vector<absl::string_view> Values(const RequestHead& head, absl::string_view name) {
  std::vector<absl::string_view> values;
  for (const auto& [key, value] : head.headers) {
    if (key == name) values.push_back(value);
  }
  return values;
}

std::optional<Refusal> CheckHost(const RequestHead& head) {
  const std::vector<absl::string_view> hosts = Values(head, "host");
  if (hosts.size() > 1) return BadRequest("the Host header is given more than once");
  if (hosts.empty()) {
    if (head.version >= 11) return BadRequest("an HTTP/1.1 request needs a Host header");
    return std::nullopt;
  }
  const bool plain = std::all_of(hosts[0].begin(), hosts[0].end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) ||
           absl::string_view(".-_:[]%~").find(c) != absl::string_view::npos;
  });
  if (!plain) return BadRequest("the Host header is not a host and port");
  return std::nullopt;
}

// One body length, said once, in one way: everything else is read differently by different servers.
std::optional<Refusal> CheckFraming(const RequestHead& head, BodyFraming* framing) {
  const std::vector<absl::string_view> lengths = Values(head, "content-length");
  const std::vector<absl::string_view> codings = Values(head, "transfer-encoding");
  if (!lengths.empty() && !codings.empty()) {
    return BadRequest("Content-Length and Transfer-Encoding exclude each other");
  }
  if (lengths.size() > 1) return BadRequest("Content-Length is given more than once");
  if (lengths.size() == 1) {
    const absl::string_view digits = lengths[0];
    const bool plain = !digits.empty() && digits.size() <= 19 &&
                       std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit);
    if (!plain || !absl::SimpleAtoi(digits, &framing->content_length)) {
      return BadRequest("Content-Length must be one decimal number");
    }
  }
  if (codings.empty()) return std::nullopt;
  if (head.version < 11) return BadRequest("HTTP/1.0 has no Transfer-Encoding; use Content-Length");
  if (codings.size() > 1 || !absl::EqualsIgnoreCase(codings[0], "chunked")) {
    return BadRequest("Transfer-Encoding must be exactly \"chunked\"");
  }
  framing->chunked = true;
  return std::nullopt;
}

std::optional<Refusal> CheckExpectations(const RequestHead& head, BodyFraming* framing) {
  for (absl::string_view coding : Values(head, "content-encoding")) {
    if (absl::EqualsIgnoreCase(coding, "identity")) continue;
    return Refusal{415,
                   "a compressed request body is not supported; send it without Content-Encoding",
                   "unsupported_media_type"};
  }
  for (absl::string_view expectation : Values(head, "expect")) {
    if (!absl::EqualsIgnoreCase(expectation, "100-continue")) {
      return Refusal{417, "the only supported expectation is 100-continue", "expectation_failed"};
    }
    framing->expects_continue = head.version >= 11;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> HeadScanner::CheckStart(absl::string_view bytes) const {
  if (bytes == "\r") return std::nullopt;  // of an empty line before the request, which is skipped
  const absl::string_view method = bytes.substr(0, std::min(bytes.find(' '), bytes.size()));
  const bool cut_off = method.size() == bytes.size();
  if (method.size() > kMaxMethodBytes || (method.empty() && !cut_off) ||
      !std::all_of(method.begin(), method.end(), IsTokenChar)) {
    return BadRequest("this is not an HTTP/1.1 request");
  }
  return std::nullopt;
}

std::optional<Refusal> HeadScanner::CheckLine(absl::string_view line) const {
  if (std::any_of(line.begin(), line.end(), IsControl)) {
    return BadRequest("a control character in the request head");
  }
  if (lines_ == 0) {
    if (line.size() > limits_.max_target_bytes + kRequestLineRest) {
      return Refusal{414,
                     absl::StrCat("the URL is too long; the limit is ", limits_.max_target_bytes),
                     "uri_too_long"};
    }
    if (line.empty()) return BadRequest("an empty request line");
    return CheckStart(line);
  }
  if (line.size() > limits_.max_line_bytes) {
    return HeadTooLarge("a header is too long", limits_.max_line_bytes);
  }
  if (absl::StartsWith(line, " ") || absl::StartsWith(line, "\t")) {
    return BadRequest("a folded header; put it on one line");
  }
  if (lines_ > limits_.max_headers) {
    return HeadTooLarge("too many headers", static_cast<size_t>(limits_.max_headers));
  }
  return std::nullopt;
}

HeadScanner::Result HeadScanner::Scan(absl::string_view bytes) {
  for (;;) {
    const size_t end = bytes.find('\n', searched_);
    if (end == absl::string_view::npos) break;
    searched_ = end + 1;
    absl::string_view line = bytes.substr(line_start_, end - line_start_);
    if (!absl::ConsumeSuffix(&line, "\r")) {
      return {0, BadRequest("a line of the request head does not end in CR LF")};
    }
    if (line.empty() && lines_ > 0) {
      if (end >= limits_.max_bytes) break;
      return {end + 1, std::nullopt};
    }
    if (std::optional<Refusal> refusal = CheckLine(line)) return {0, refusal};
    ++lines_;
    line_start_ = end + 1;
  }
  if (bytes.size() > limits_.max_bytes) {
    return {0, HeadTooLarge("the request head is too long", limits_.max_bytes)};
  }
  searched_ = bytes.size();
  // The line that is still coming obeys the same limits; its control characters can wait for its
  // end.
  const absl::string_view line = bytes.substr(line_start_);
  if (lines_ == 0) {
    if (line.size() > limits_.max_target_bytes + kRequestLineRest) return {0, CheckLine(line)};
    return {0, CheckStart(line)};
  }
  if (line.size() > limits_.max_line_bytes) {
    return {0, HeadTooLarge("a header is too long", limits_.max_line_bytes)};
  }
  return {};
}

std::optional<Refusal> CheckHead(const RequestHead& head, BodyFraming* framing) {
  if (std::find(std::begin(kMethods), std::end(kMethods), head.method) == std::end(kMethods)) {
    return Refusal{405, absl::StrCat("method ", head.method, " is not supported"),
                   "method_not_allowed"};
  }
  if (std::optional<Refusal> refusal = CheckHost(head)) return refusal;
  if (std::optional<Refusal> refusal = CheckFraming(head, framing)) return refusal;
  return CheckExpectations(head, framing);
}

bool KeepsAlive(const RequestHead& head) {
  bool close = false;
  bool keep = false;
  for (absl::string_view value : Values(head, "connection")) {
    for (absl::string_view token : absl::StrSplit(value, ',')) {
      token = absl::StripAsciiWhitespace(token);
      close |= absl::EqualsIgnoreCase(token, "close");
      keep |= absl::EqualsIgnoreCase(token, "keep-alive");
    }
  }
  return !close && (head.version >= 11 || keep);
}

}  // namespace switchboard::http
