#include "http/server.h"

#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/status_macros.h"
#include "http/byte_budget.h"
#include "http/io_thread.h"
#include "http/listener.h"

namespace switchboard::http {
namespace {

// Connections beyond the limit that get a 503 instead of a closed door.
constexpr int kRefusedConnections = 64;
// How long closed sessions may take to leave; they only have to notice.
constexpr absl::Duration kKillPatience = absl::Seconds(10);

Refusal Full() { return {503, "the server has too many connections", "server_is_overloaded"}; }

}  // namespace

// The first thread accepts and hands the connections round; each stays where it was put.
class Server::Core {
 public:
  Core(ServerOptions options, Handler* handler);

  absl::Status Start();
  int port() const { return listener_.port(); }
  void Stop(absl::Duration grace) EXCLUDES(mutex_);

 private:
  boost::asio::io_context& NextContext();
  void OnAccept(boost::asio::ip::tcp::socket socket) EXCLUDES(mutex_);
  void OnSessionEnd() EXCLUDES(mutex_);
  void CloseDoor() EXCLUDES(mutex_);
  // False when sessions are left after `patience`.
  bool AwaitSessions(absl::Duration patience) EXCLUDES(mutex_);

  const ServerOptions options_;
  const std::shared_ptr<ByteBudget> budget_;
  std::vector<std::unique_ptr<IoThread>> threads_;
  size_t next_thread_ = 0;  // used on the first thread only
  Listener listener_;
  bool running_ = false;  // between Start and Stop

  Mutex mutex_;
  CondVar changed_;
  int connections_ GUARDED_BY(mutex_) = 0;
  bool door_closed_ GUARDED_BY(mutex_) = false;
};

namespace {

std::vector<std::unique_ptr<IoThread>> MakeThreads(const ServerOptions* options, Handler* handler,
                                                   const std::shared_ptr<ByteBudget>& budget) {
  CHECK(options->threads >= 1);
  std::vector<std::unique_ptr<IoThread>> threads;
  for (int i = 0; i < options->threads; ++i) {
    threads.push_back(std::make_unique<IoThread>(options, handler, budget));
  }
  return threads;
}

}  // namespace

Server::Core::Core(ServerOptions options, Handler* handler)
    : options_(std::move(options)),
      budget_(std::make_shared<ByteBudget>(options_.max_buffered_bytes)),
      threads_(MakeThreads(&options_, handler, budget_)),
      listener_(
          &threads_[0]->context(), [this]() -> boost::asio::io_context& { return NextContext(); },
          [this](boost::asio::ip::tcp::socket socket) { OnAccept(std::move(socket)); }) {}

absl::Status Server::Core::Start() {
  CHECK(!running_);
  RETURN_IF_ERROR(listener_.Open(options_.host, options_.port, options_.port_flag));
  listener_.Accept();
  for (const auto& thread : threads_) thread->Start();
  running_ = true;
  return absl::OkStatus();
}

boost::asio::io_context& Server::Core::NextContext() {
  next_thread_ = (next_thread_ + 1) % threads_.size();
  return threads_[next_thread_]->context();
}

void Server::Core::OnAccept(boost::asio::ip::tcp::socket socket) {
  absl::optional<Refusal> refusal;
  {
    MutexLock lock(&mutex_);
    if (connections_ >= options_.max_connections + kRefusedConnections) return;
    if (connections_ >= options_.max_connections) refusal = Full();
    ++connections_;
  }
  // The socket was accepted for this thread by NextContext.
  threads_[next_thread_]->Adopt(std::move(socket), std::move(refusal), [this] { OnSessionEnd(); });
}

void Server::Core::OnSessionEnd() {
  MutexLock lock(&mutex_);
  --connections_;
  changed_.NotifyAll();
}

void Server::Core::CloseDoor() {
  boost::asio::post(threads_[0]->context(), [this] {
    listener_.Close();
    MutexLock lock(&mutex_);
    door_closed_ = true;
    changed_.NotifyAll();
  });
  MutexLock lock(&mutex_);
  while (!door_closed_) changed_.Wait(&mutex_);
}

bool Server::Core::AwaitSessions(absl::Duration patience) {
  const absl::Duration deadline = SystemClock().Monotonic() + patience;
  MutexLock lock(&mutex_);
  while (connections_ > 0) {
    const absl::Duration left = deadline - SystemClock().Monotonic();
    if (left <= absl::ZeroDuration()) return false;
    changed_.WaitFor(&mutex_, left);
  }
  return true;
}

void Server::Core::Stop(absl::Duration grace) {
  if (!running_) return;
  running_ = false;
  CloseDoor();
  // Whoever was let in is on its thread's queue before this.
  for (const auto& thread : threads_) thread->DrainSessions();
  if (!AwaitSessions(grace)) {
    for (const auto& thread : threads_) thread->KillSessions();
    if (!AwaitSessions(kKillPatience)) LOG(ERROR) << "a connection does not end; it is abandoned";
  }
  for (const auto& thread : threads_) thread->Join();
}

Server::Server(ServerOptions options, Handler* handler)
    : core_(std::make_unique<Core>(std::move(options), handler)) {}

Server::~Server() { Stop(absl::ZeroDuration()); }

absl::Status Server::Start() { return core_->Start(); }

int Server::port() const { return core_->port(); }

void Server::Stop(absl::Duration grace) { core_->Stop(grace); }

}  // namespace switchboard::http
