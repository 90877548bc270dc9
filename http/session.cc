#include "http/session.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "http/error_body.h"
#include "http/request_id.h"
#include "http/request_parser.h"
#include "http/target.h"

namespace switchboard::http {
namespace {

using boost::asio::awaitable;

// After so many steps without a pause a fast stream lets the others of its thread have their turn.
constexpr int kStepsPerTurn = 32;
// Slowest upload that is not given up, once the body timeout has passed.
constexpr size_t kLeastBodyBytesPerSecond = 1024;
// What a refused client may still send before it is cut off.
constexpr size_t kMaxDiscardedBytes = size_t{256} << 20;
constexpr absl::Duration kRefusalLinger = absl::Seconds(1);

bool Passed(TimePoint deadline) { return std::chrono::steady_clock::now() >= deadline; }

// Bytes of empty lines in front of a request, which RFC 9112 (2.2) wants ignored.
size_t EmptyLineBytes(absl::string_view input) {
  size_t bytes = 0;
  while (absl::StartsWith(input.substr(bytes), "\r\n")) bytes += 2;
  return bytes;
}

Refusal Timeout(absl::string_view what) {
  return {408, absl::StrCat("the request's ", what, " did not arrive in time"), "request_timeout"};
}

Refusal BodyTooLarge(size_t limit) {
  return {413, absl::StrCat("the request body is too large; the limit is ", limit, " bytes"),
          "request_too_large"};
}

Refusal ShuttingDown() { return {503, "the server is shutting down", "shutting_down"}; }

// What a server that drains still answers: it is how others learn that it does. A preflight has to
// succeed for a script to see the 503 of the request behind it.
bool IsForProbes(const Request& request) {
  if (request.method == "OPTIONS") return true;
  const std::string& path = request.path;
  return request.method == "GET" && (path == "/health" || path == "/livez" || path == "/readyz");
}

}  // namespace

struct Session::Current {
  Request request;
  BodyFraming framing;
  RequestParser parser;
  ReplyContext context;
  absl::Duration started;  // when the head had come; on the monotonic clock
};

Session::Session(const ServerOptions* options, Handler* handler, std::shared_ptr<ByteBudget> budget,
                 boost::asio::io_context* context, boost::asio::ip::tcp::socket socket)
    : options_(*options),
      handler_(handler),
      budget_(std::move(budget)),
      // One byte more than a head may have: reading must not pause before the head is found too
      // long.
      connection_(std::make_shared<Connection>(std::move(socket), options->head.max_bytes + 1,
                                               options->write_stall_timeout)),
      wake_(std::make_shared<WakeLink>(context, [this] {
        woken_ = true;
        connection_->Notify();
      })) {}

Session::~Session() {
  exchange_.reset();
  wake_->Detach();
  connection_->Close();
}

awaitable<void> Session::Run() {
  connection_->Start();
  for (;;) {
    const bool asked = co_await AwaitRequest();
    if (!asked) break;
    const bool keep_alive = co_await ServeRequest();
    exchange_.reset();
    if (!keep_alive) break;
    if (!connection_->input().empty()) co_await connection_->Yield();
  }
  co_await connection_->Linger(options_.linger_timeout, kMaxDiscardedBytes);
}

awaitable<void> Session::RunRefusing(Refusal refusal) {
  connection_->Start();
  Current current;
  Refuse(refusal, &current);
  const bool answered = co_await Answer(&current);
  static_cast<void>(answered);  // the connection ends either way
  exchange_.reset();
  co_await connection_->Linger(kRefusalLinger, kMaxDiscardedBytes);
}

void Session::Drain() {
  draining_ = true;
  newcomer_ = false;
  connection_->Notify();
}

void Session::DrainAfterFirst() {
  draining_ = true;
  newcomer_ = true;
}

void Session::EndEarly() {
  end_early_ = true;
  Drain();
}

awaitable<bool> Session::AwaitRequest() {
  const TimePoint deadline = DeadlineIn(newcomer_ ? kRefusalLinger : options_.idle_timeout);
  for (;;) {
    connection_->Consume(EmptyLineBytes(connection_->input()));
    const absl::string_view input = connection_->input();
    const bool idle = input.empty() || input == "\r";
    if (!idle) co_return true;
    if (drained() || connection_->peer_gone() || Passed(deadline)) {
      // Nothing unread that would turn the closing into a reset.
      connection_->Close();
      co_return false;
    }
    co_await connection_->WaitEvent(deadline);
  }
}

awaitable<bool> Session::ServeRequest() {
  Current current;
  const bool has_head = co_await ReadHead(&current);
  if (!has_head) co_return false;
  if (exchange_ == nullptr && draining_ && !IsForProbes(current.request)) {
    Refuse(ShuttingDown(), &current);
  }
  if (exchange_ == nullptr) exchange_ = AnswerWithoutBody(&current);
  if (exchange_ == nullptr) {
    const bool has_body = co_await ReadBody(&current);
    if (!has_body) co_return false;
  }
  if (exchange_ == nullptr) exchange_ = handler_->Start(std::move(current.request));
  const bool keep_alive = co_await Answer(&current);
  co_return keep_alive;
}

awaitable<bool> Session::ReadHead(Current* current) {
  HeadScanner scanner(options_.head);
  const TimePoint deadline = DeadlineIn(options_.header_timeout);
  for (;;) {
    const absl::string_view input = connection_->input();
    HeadScanner::Result found = scanner.Scan(input);
    if (found.head_bytes > 0) {
      found.refusal = AcceptHead(input.substr(0, found.head_bytes), current);
      connection_->Consume(found.head_bytes);
      if (!found.refusal) co_return true;
    } else if (!found.refusal && Passed(deadline)) {
      found.refusal = Timeout("head");
    }
    if (found.refusal) {
      Refuse(*found.refusal, current);
      co_return true;
    }
    if (drained()) connection_->Close();
    if (connection_->peer_gone()) co_return false;
    co_await connection_->WaitEvent(deadline);
  }
}

std::optional<Refusal> Session::AcceptHead(absl::string_view bytes, Current* current) {
  current->started = options_.clock->Monotonic();
  RequestHead head;
  if (std::optional<Refusal> refusal = current->parser.ParseHead(bytes, &head)) return refusal;
  std::optional<Refusal> refusal = CheckHead(head, &current->framing);
  ReplyContext& context = current->context;
  context.http10 = head.version < 11;
  context.head_only = head.method == "HEAD";
  context.keep_alive = KeepsAlive(head);

  Request& request = current->request;
  request.headers = std::move(head.headers);
  const absl::string_view id = request.Header("x-request-id");
  request.request_id_from_client = IsRequestId(id);
  request.request_id = request.request_id_from_client ? std::string(id) : NewRequestId();
  context.request_id = request.request_id;
  context.cors = options_.cors.ReplyHeaders(request.Header("origin"));
  if (refusal) return refusal;

  std::optional<Target> target = ParseTarget(head.target);
  if (!target) return Refusal{400, "the URL path is not valid", "bad_request"};
  request.method = context.head_only ? "GET" : head.method;
  request.path = std::move(target->path);
  request.query = std::move(target->query);
  return std::nullopt;
}

std::unique_ptr<Exchange> Session::AnswerWithoutBody(Current* current) {
  const Request& request = current->request;
  std::unique_ptr<Exchange> exchange;
  if (request.method == "OPTIONS") {
    current->context.cors = options_.cors.PreflightHeaders(
        request.Header("origin"), request.Header("access-control-request-headers"));
    exchange = ReplyWith(Head(), "");
  } else if (options_.before_body) {
    exchange = options_.before_body(request);
  }
  // A body that nobody reads would be taken for the next request.
  if (exchange != nullptr && !current->parser.done()) current->context.keep_alive = false;
  return exchange;
}

void Session::Refuse(const Refusal& refusal, Current* current) {
  ReplyContext& context = current->context;
  if (context.request_id.empty()) {
    context.request_id = NewRequestId();
    current->started = options_.clock->Monotonic();
  }
  // What follows a request that was not understood cannot be told from its rest.
  context.keep_alive = false;
  LOG_REQUEST(DEBUG, context.request_id)
      << "refused with " << refusal.status << ": " << refusal.message;
  exchange_ = ReplyRefusal(refusal);
}

awaitable<bool> Session::ReadBody(Current* current) {
  RequestParser& parser = current->parser;
  if (parser.done()) co_return true;
  const size_t limit = options_.body_limit ? options_.body_limit(current->request.path)
                                           : options_.default_body_bytes;
  if (current->framing.content_length > limit) {
    Refuse(BodyTooLarge(limit), current);
    co_return true;
  }
  parser.LimitBody(limit);
  if (current->framing.expects_continue && connection_->input().empty()) {
    std::string go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";
    const bool sent = co_await connection_->Write(std::move(go_ahead));
    if (!sent) co_return false;
  }

  std::string& body = current->request.body;
  ByteShare& share = current->request.body_share;
  share = ByteShare(budget_);
  const TimePoint least = DeadlineIn(options_.body_timeout);
  TimePoint stalled = least;
  for (;;) {
    RequestParser::Progress progress = parser.ParseBody(connection_->input(), &body);
    connection_->Consume(progress.consumed);
    if (progress.consumed > 0) stalled = DeadlineIn(options_.body_timeout);
    const TimePoint deadline =
        std::min(stalled, least + std::chrono::seconds(body.size() / kLeastBodyBytesPerSecond));
    std::optional<Refusal>& refusal = progress.refusal;
    if (!refusal && !share.GrowTo(body.size())) {
      refusal = Refusal{503, "too many large requests at once", "server_is_overloaded"};
    }
    if (!refusal && parser.done()) co_return true;
    if (!refusal && end_early_) refusal = ShuttingDown();
    if (!refusal && Passed(deadline)) refusal = Timeout("body");
    if (refusal) {
      // The answer may take its time to be read.
      body = std::string();
      share.GiveBack();
      Refuse(*refusal, current);
      co_return true;
    }
    if (connection_->peer_gone()) co_return false;
    co_await connection_->WaitEvent(deadline);
  }
}

awaitable<bool> Session::Answer(Current* current) {
  ReplyWriter reply(std::move(current->context));
  for (int steps = 1; !reply.complete(); ++steps) {
    if (std::exchange(end_early_, false)) exchange_->EndEarly();
    Step step = exchange_->Next();
    if (step.kind == Step::kAbort) {
      connection_->Close();
      co_return false;
    }
    if (step.kind == Step::kWait) {
      const bool ready = co_await AwaitExchange(&reply);
      if (!ready) co_return false;
      continue;
    }
    std::string bytes = Render(std::move(step), &reply, current->started);
    if (!bytes.empty()) {
      const bool sent = co_await connection_->Write(std::move(bytes));
      if (!sent) co_return false;
      last_write_ = std::chrono::steady_clock::now();
    }
    if (steps % kStepsPerTurn == 0) co_await connection_->Yield();
  }
  co_return reply.keep_alive();
}

std::string Session::Render(Step step, ReplyWriter* reply, absl::Duration started) {
  if (step.kind == Step::kBody) return reply->OnBody(step.body);
  if (step.kind == Step::kEnd) return reply->OnEnd();
  if (draining_) step.head.headers.emplace_back("Connection", "close");
  ReplyStamp stamp;
  stamp.date = options_.clock->Now();
  stamp.processing_ms = absl::ToInt64Milliseconds(options_.clock->Monotonic() - started);
  return reply->OnHead(std::move(step.head), stamp);
}

awaitable<bool> Session::AwaitExchange(ReplyWriter* reply) {
  woken_ = false;
  exchange_->NotifyWhenReady(wake_->Waker());
  const std::string heartbeat(reply->heartbeat());
  while (!woken_ && !end_early_) {
    if (connection_->peer_gone()) {
      connection_->Close();
      co_return false;
    }
    TimePoint deadline = DeadlineIn(absl::InfiniteDuration());
    if (!heartbeat.empty()) {
      deadline = Later(last_write_, options_.heartbeat);
      if (Passed(deadline)) {
        std::string bytes = reply->OnBody(heartbeat);
        const bool sent = co_await connection_->Write(std::move(bytes));
        if (!sent) co_return false;
        last_write_ = std::chrono::steady_clock::now();
        continue;
      }
    }
    co_await connection_->WaitEvent(deadline);
  }
  co_return true;
}

}  // namespace switchboard::http
