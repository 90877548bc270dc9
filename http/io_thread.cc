#include "http/io_thread.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <utility>

#include "base/log.h"

namespace switchboard::http {
namespace {

namespace asio = boost::asio;

// Handlers do not throw; what arrives here is a bug or memory that has run out. It costs this one
// connection.
void LogFailure(const std::exception_ptr& failure) {
  if (failure == nullptr) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    LOG(ERROR) << "a connection was dropped: " << e.what();
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
  thread_ = std::thread([this] { context_.run(); });
}

void IoThread::Join() {
  if (!thread_.joinable()) return;
  context_.stop();
  thread_.join();
}

void IoThread::Adopt(asio::ip::tcp::socket socket, absl::optional<Refusal> refusal,
                     std::function<void()> on_end) {
  asio::post(context_, [this, socket = std::move(socket), refusal = std::move(refusal),
                        on_end = std::move(on_end)]() mutable {
    Begin(std::move(socket), refusal, std::move(on_end));
  });
}

void IoThread::Begin(asio::ip::tcp::socket socket, const absl::optional<Refusal>& refusal,
                     std::function<void()> on_end) {
  auto session =
      std::make_shared<Session>(options_, handler_, budget_, &context_, std::move(socket));
  sessions_.insert(session.get());
  asio::awaitable<void> conversation = refusal ? session->RunRefusing(*refusal) : session->Run();
  asio::co_spawn(
      context_, std::move(conversation),
      [this, session, on_end = std::move(on_end)](const std::exception_ptr& failure) mutable {
        LogFailure(failure);
        sessions_.erase(session.get());
        session.reset();
        on_end();
      });
}

void IoThread::DrainSessions() {
  asio::post(context_, [this] {
    for (Session* session : sessions_) session->Drain();
  });
}

void IoThread::KillSessions() {
  asio::post(context_, [this] {
    for (Session* session : sessions_) session->Kill();
  });
}

}  // namespace switchboard::http
