#include "http/io_thread.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "http/log_exception.h"

namespace switchboard::http {
namespace {

namespace asio = boost::asio;

// As LogException, for what a coroutine ended with; null: nothing.
void LogFailure(const std::exception_ptr& failure) noexcept {
  if (failure == nullptr) return;
  try {
    std::rethrow_exception(failure);
  } catch (...) {
    LogException();
  }
}

}  // namespace

IoThread::IoThread(const ServerOptions* options, Handler* handler,
                   std::shared_ptr<ByteBudget> budget)
    : options_(options),
      handler_(handler),
      budget_(std::move(budget)),
      context_(1),
      work_(asio::make_work_guard(context_)) {}

IoThread::~IoThread() { Join(); }

void IoThread::Start() {
  thread_ = std::thread([this] { Loop(); });
}

void IoThread::Loop() {
  for (;;) {
    try {
      context_.run();
      return;
    } catch (...) {
      LogException();  // the context goes on where it was
    }
  }
}

void IoThread::Join() {
  if (!thread_.joinable()) return;
  context_.stop();
  thread_.join();
}

void IoThread::Adopt(asio::ip::tcp::socket socket, std::optional<Refusal> refusal,
                     std::shared_ptr<void> seat) {
  asio::post(context_, [this, socket = std::move(socket), refusal = std::move(refusal),
                        seat = std::move(seat)]() mutable {
    Begin(std::move(socket), refusal, std::move(seat));
  });
}

void IoThread::Begin(asio::ip::tcp::socket socket, const std::optional<Refusal>& refusal,
                     std::shared_ptr<void> seat) {
  auto session =
      std::make_shared<Session>(options_, handler_, budget_, &context_, std::move(socket));
  if (draining_) session->DrainAfterFirst();
  sessions_.insert(session.get());
  try {
    asio::awaitable<void> conversation = refusal ? session->RunRefusing(*refusal) : session->Run();
    asio::co_spawn(context_, std::move(conversation),
                   [this, session, seat](const std::exception_ptr& failure) mutable {
                     LogFailure(failure);
                     sessions_.erase(session.get());
                     session.reset();
                     seat.reset();
                   });
  } catch (...) {
    sessions_.erase(session.get());
    throw;
  }
}

void IoThread::Drain() {
  asio::post(context_, [this] {
    draining_ = true;
    for (Session* session : sessions_) session->Drain();
  });
}

void IoThread::DrainNewcomers() {
  asio::post(context_, [this] {
    for (Session* session : sessions_) session->Drain();
  });
}

void IoThread::EndEarly() {
  asio::post(context_, [this] {
    for (Session* session : sessions_) session->EndEarly();
  });
}

void IoThread::Kill() {
  asio::post(context_, [this] {
    for (Session* session : sessions_) session->Kill();
  });
}

}  // namespace switchboard::http
