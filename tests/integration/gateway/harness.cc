#include "tests/integration/gateway/harness.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/check.h"

namespace switchboard::gateway {

bool Eventually(const std::function<bool()>& condition) {
  const absl::Time end = absl::Now() + absl::Seconds(30);
  while (!condition()) {
    if (absl::Now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

namespace {

// Folders that go when the process ends.
struct Folders {
  ~Folders() {
    for (const std::string& path : paths) {
      std::error_code ignored;  // nobody is left to be told
      std::filesystem::remove_all(path, ignored);
    }
  }
  std::vector<std::string> paths;
};

}  // namespace

rpc::Address NewSocketAddress() {
  static Folders folders;
  std::string folder = "/tmp/switchboard-test-XXXXXX";
  CHECK(::mkdtemp(folder.data()) != nullptr);
  folders.paths.push_back(folder);
  return {"", 0, absl::StrCat(folder, "/socket")};
}

std::unique_ptr<doubles::DoubleWorker> StartDouble(doubles::DoubleOptions options) {
  absl::StatusOr<std::unique_ptr<doubles::DoubleWorker>> worker =
      doubles::DoubleWorker::Start(std::move(options));
  CHECK(worker.ok());
  return *std::move(worker);
}

GatewayOptions OptionsFor(std::vector<rpc::Address> routers) {
  GatewayOptions options;
  options.port = 0;
  options.routers = std::move(routers);
  options.threads = 1;
  options.look_interval = absl::Milliseconds(20);
  options.drain_timeout = absl::Seconds(10);
  return options;
}

Gateway::Gateway(const GatewayOptions& options) {
  absl::StatusOr<std::unique_ptr<GatewayServer>> server = GatewayServer::Start(options);
  CHECK(server.ok());
  server_ = *std::move(server);
}

std::string Gateway::Chat(absl::string_view text, absl::string_view fields) {
  const std::string body =
      absl::StrCat(R"({"messages":[{"role":"user","content":")", text, R"("}])", fields, "}");
  return absl::StrCat("POST /v1/chat/completions HTTP/1.1\r\nHost: test\r\n",
                      "Content-Type: application/json\r\nContent-Length: ", body.size(), "\r\n\r\n",
                      body);
}

http::RawReply Gateway::Ask(const std::string& request) const {
  http::RawClient client(port());
  return client.Ask(request);
}

http::RawReply Gateway::AskChat(absl::string_view text, absl::string_view fields) const {
  return Ask(Chat(text, fields));
}

http::RawReply Gateway::Get(const std::string& path) const {
  return Ask(absl::StrCat("GET ", path, " HTTP/1.1\r\nHost: test\r\n\r\n"));
}

}  // namespace switchboard::gateway
