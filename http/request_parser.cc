#include "http/request_parser.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace switchboard::http {
namespace {

namespace beast = boost::beast;
using beast::http::error;

// Longest chunk-size line or block of trailers: what must be held to see its end.
constexpr size_t kMaxChunkLine = 16 << 10;

std::string ToString(beast::string_view text) { return std::string(text.data(), text.size()); }

Refusal FromError(const beast::error_code& ec) {
  if (ec == error::body_limit) {
    return {413, "the request body is too large", "request_too_large"};
  }
  if (ec == error::bad_version) {
    return {400, "the request is not HTTP/1.1 or HTTP/1.0", "bad_request"};
  }
  return {400, absl::StrCat("malformed HTTP request: ", ec.message()), "bad_request"};
}

}  // namespace

// Receives what Beast's parser finds. Fields that come after the head are trailers: they are no
// headers, or a client could slip in what was already checked.
class RequestParser::Beast : public beast::http::basic_parser<true> {
 public:
  void CollectHead(RequestHead* head) { head_ = head; }
  void CollectBody(std::string* body) { body_ = body; }

 private:
  using string_view = beast::string_view;
  using error_code = beast::error_code;

  void on_request_impl(beast::http::verb, string_view method, string_view target, int version,
                       error_code&) override {
    head_->method = ToString(method);
    head_->target = ToString(target);
    head_->version = version;
  }
  void on_response_impl(int, string_view, int, error_code&) override {}
  void on_field_impl(beast::http::field, string_view name, string_view value,
                     error_code&) override {
    if (head_ == nullptr) return;
    head_->headers.emplace_back(absl::AsciiStrToLower(ToString(name)), ToString(value));
  }
  void on_header_impl(error_code&) override { head_ = nullptr; }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(string_view piece, error_code&) override {
    body_->append(piece.data(), piece.size());
    return piece.size();
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view piece, error_code&) override {
    body_->append(piece.data(), piece.size());
    return piece.size();
  }
  void on_finish_impl(error_code&) override {}

  RequestHead* head_ = nullptr;  // while the head is parsed
  std::string* body_ = nullptr;
};

RequestParser::RequestParser() : beast_(std::make_unique<Beast>()) {
  // HeadScanner and LimitBody do this with limits of their own.
  beast_->header_limit(std::numeric_limits<std::uint32_t>::max());
  beast_->body_limit(boost::none);
  beast_->eager(false);
}

RequestParser::~RequestParser() = default;

std::optional<Refusal> RequestParser::ParseHead(absl::string_view bytes, RequestHead* head) {
  beast_->CollectHead(head);
  beast::error_code ec;
  const boost::asio::const_buffer buffer(bytes.data(), bytes.size());
  const size_t consumed = beast_->put(buffer, ec);
  if (ec == error::need_more) {
    return Refusal{400, "malformed HTTP request: the head ends early", "bad_request"};
  }
  if (ec) return FromError(ec);
  CHECK(consumed <= bytes.size());
  if (consumed != bytes.size()) {
    return Refusal{400, "malformed HTTP request: the head has two ends", "bad_request"};
  }
  beast_->eager(true);
  return std::nullopt;
}

void RequestParser::LimitBody(uint64_t bytes) { beast_->body_limit(bytes); }

RequestParser::Progress RequestParser::ParseBody(absl::string_view bytes, std::string* body) {
  Progress progress;
  if (done() || bytes.empty()) return progress;
  beast_->CollectBody(body);
  beast::error_code ec;
  const boost::asio::const_buffer buffer(bytes.data(), bytes.size());
  progress.consumed = beast_->put(buffer, ec);
  if (ec && ec != error::need_more) {
    progress.refusal = FromError(ec);
  } else if (!done() && bytes.size() - progress.consumed > kMaxChunkLine) {
    progress.refusal = Refusal{400, "a chunk header or trailer is too long", "bad_request"};
  }
  return progress;
}

bool RequestParser::done() const { return beast_->is_done(); }

}  // namespace switchboard::http
