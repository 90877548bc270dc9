// One request taken apart by Beast: the head as a whole, then the body piece by piece.
#ifndef SWITCHBOARD_HTTP_REQUEST_PARSER_H_
#define SWITCHBOARD_HTTP_REQUEST_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "http/limits.h"
#include "http/refusal.h"

namespace switchboard::http {

// Not thread-safe. Once a method has returned a refusal the parser is of no more use.
class RequestParser {
 public:
  RequestParser();
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // REQUIRES: called once, with exactly the bytes that HeadScanner found to be the head.
  std::optional<Refusal> ParseHead(absl::string_view bytes, RequestHead* head);

  // Most bytes a chunked body may have (413 beyond). REQUIRES: between ParseHead and ParseBody.
  void LimitBody(uint64_t bytes);

  struct Progress {
    size_t consumed = 0;  // of the bytes given; the rest comes again with the next call
    std::optional<Refusal> refusal;
  };
  // Decodes a piece of the body and appends it to `body`. Does not read beyond the end of the body.
  // Trailers are checked and dropped.
  Progress ParseBody(absl::string_view bytes, std::string* body);

  // The whole request has been seen.
  bool done() const;

 private:
  class Beast;
  const std::unique_ptr<Beast> beast_;
};

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_REQUEST_PARSER_H_
