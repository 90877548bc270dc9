#include "http/server.h"

#include <boost/asio/post.hpp>
#include <optional>
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
// How long those may take to be told so who came during a drain, once it is over.
constexpr absl::Duration kNewcomerPatience = absl::Seconds(1);
// For the last words of replies that the grace was too short for.
constexpr absl::Duration kFarewell = absl::Milliseconds(500);
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
  void OnSessionEnd(bool newcomer) EXCLUDES(mutex_);
  void Drain(absl::Duration grace) EXCLUDES(mutex_);
  void CloseDoor() EXCLUDES(mutex_);
  // False when sessions are left after `patience`; those that came while draining count only when
  // `newcomers_too`.
  bool AwaitSessions(absl::Duration patience, bool newcomers_too) EXCLUDES(mutex_);

  // Before the threads, whose last sessions count themselves out.
  Mutex mutex_;
  CondVar changed_;
  int connections_ GUARDED_BY(mutex_) = 0;
  int newcomers_ GUARDED_BY(mutex_) = 0;  // of those, came while draining
  bool draining_ GUARDED_BY(mutex_) = false;
  bool door_closed_ GUARDED_BY(mutex_) = false;

  const ServerOptions options_;
  const std::shared_ptr<ByteBudget> budget_;
  std::vector<std::unique_ptr<IoThread>> threads_;
  size_t next_thread_ = 0;  // used on the first thread only
  Listener listener_;
  bool running_ = false;  // between Start and Stop
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
  std::optional<Refusal> refusal;
  bool newcomer = false;
  {
    MutexLock lock(&mutex_);
    if (connections_ >= options_.max_connections + kRefusedConnections) return;
    if (connections_ >= options_.max_connections) refusal = Full();
    ++connections_;
    newcomer = draining_;
    if (newcomer) ++newcomers_;
  }
  std::shared_ptr<void> seat(nullptr, [this, newcomer](void*) { OnSessionEnd(newcomer); });
  // The socket was accepted for this thread by NextContext.
  threads_[next_thread_]->Adopt(std::move(socket), std::move(refusal), std::move(seat));
}

void Server::Core::OnSessionEnd(bool newcomer) {
  MutexLock lock(&mutex_);
  --connections_;
  if (newcomer) --newcomers_;
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

bool Server::Core::AwaitSessions(absl::Duration patience, bool newcomers_too) {
  const absl::Duration deadline = SystemClock().Monotonic() + patience;
  MutexLock lock(&mutex_);
  while (connections_ > (newcomers_too ? 0 : newcomers_)) {
    const absl::Duration left = deadline - SystemClock().Monotonic();
    if (left <= absl::ZeroDuration()) return false;
    changed_.WaitFor(&mutex_, left);
  }
  return true;
}

void Server::Core::Drain(absl::Duration grace) {
  {
    MutexLock lock(&mutex_);
    draining_ = true;
  }
  for (const auto& thread : threads_) thread->Drain();
  const bool finished = AwaitSessions(grace, /*newcomers_too=*/false);
  CloseDoor();
  if (!finished || grace <= absl::ZeroDuration()) return;
  // Who has just been let in still hears why there is no answer.
  for (const auto& thread : threads_) thread->DrainNewcomers();
  AwaitSessions(kNewcomerPatience, /*newcomers_too=*/true);
}

void Server::Core::Stop(absl::Duration grace) {
  if (!running_) return;
  running_ = false;
  Drain(grace);
  for (const auto& thread : threads_) thread->EndEarly();
  AwaitSessions(kFarewell, /*newcomers_too=*/true);
  for (const auto& thread : threads_) thread->Kill();
  if (!AwaitSessions(kKillPatience, /*newcomers_too=*/true)) {
    LOG(ERROR) << "a connection does not end; it is abandoned";
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
