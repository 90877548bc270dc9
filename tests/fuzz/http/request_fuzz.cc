// Bytes as a client might send them through everything that looks at a request: scanner, parser,
// checks, target. The first byte says in which pieces the bytes arrive.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/utf8.h"
#include "http/limits.h"
#include "http/request_parser.h"
#include "http/target.h"

namespace switchboard::http {
namespace {

constexpr uint64_t kBodyLimit = 1000;

void CheckTarget(const std::string& text) {
  const std::optional<Target> target = ParseTarget(text);
  if (!target || target->path == "*") return;
  const std::string& path = target->path;
  CHECK(path[0] == '/');
  CHECK(path == "/" || path.back() != '/');
  CHECK(IsValidUtf8(path));
  const std::string inner = path + "/";
  for (const char* never : {"//", "/../", "/./"})
    CHECK(path == "/" || inner.find(never) == std::string::npos);
  CHECK(path.find('\0') == std::string::npos);
}

// The body in pieces; what it decodes to must not depend on them.
void ReadBody(absl::string_view head_bytes, absl::string_view bytes, size_t piece) {
  RequestParser whole;
  RequestParser cut;
  RequestHead head;
  CHECK(!whole.ParseHead(head_bytes, &head));
  CHECK(!cut.ParseHead(head_bytes, &head));
  whole.LimitBody(kBodyLimit);
  cut.LimitBody(kBodyLimit);

  std::string whole_body;
  const RequestParser::Progress all = whole.ParseBody(bytes, &whole_body);
  CHECK(all.consumed <= bytes.size());

  std::string cut_body;
  size_t begin = 0;
  for (size_t end = piece; !cut.done(); end += piece) {
    end = std::min(end, bytes.size());
    const RequestParser::Progress part = cut.ParseBody(bytes.substr(begin, end - begin), &cut_body);
    if (part.refusal) return;
    begin += part.consumed;
    CHECK(begin <= end);
    if (end == bytes.size()) break;
  }
  if (all.refusal) return;
  CHECK(whole.done() == cut.done());
  CHECK(whole_body == cut_body);
  CHECK(!whole.done() || all.consumed == begin);
}

void ReadRequest(absl::string_view bytes, size_t piece) {
  HeadScanner scanner{HeadLimits()};
  HeadScanner::Result found;
  for (size_t end = piece; found.head_bytes == 0 && !found.refusal; end += piece) {
    end = std::min(end, bytes.size());
    found = scanner.Scan(bytes.substr(0, end));
    if (end == bytes.size()) break;
  }
  const HeadScanner::Result at_once = HeadScanner(HeadLimits()).Scan(bytes);
  CHECK(found.refusal || at_once.refusal || found.head_bytes == at_once.head_bytes);
  if (found.refusal || found.head_bytes == 0) return;

  const absl::string_view head_bytes = bytes.substr(0, found.head_bytes);
  RequestParser parser;
  RequestHead head;
  if (parser.ParseHead(head_bytes, &head)) return;
  BodyFraming framing;
  if (CheckHead(head, &framing)) return;
  CHECK(!framing.chunked || framing.content_length == 0);
  // Our reading of the framing and Beast's must be one.
  CHECK(parser.done() == (!framing.chunked && framing.content_length == 0));
  KeepsAlive(head);
  CheckTarget(head.target);
  if (framing.chunked || framing.content_length <= kBodyLimit) {
    ReadBody(head_bytes, bytes.substr(found.head_bytes), piece);
  }
}

}  // namespace
}  // namespace switchboard::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switchboard::http::ReadRequest(bytes, data[0] == 0 ? size : data[0]);
  switchboard::http::CheckTarget(std::string(bytes));
  return 0;
}
