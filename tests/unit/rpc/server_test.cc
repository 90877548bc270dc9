// Server, channel and the retry-after metadata over real sockets.
#include "rpc/server.h"

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>

#include "rpc/channel.h"
#include "rpc/status.h"
#include "switchboard/v1/inference.grpc.pb.h"

namespace switchboard::rpc {
namespace {

using ::testing::HasSubstr;

class Folder {
 public:
  Folder() : path_(::testing::TempDir() + "rpcXXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~Folder() { rmdir(path_.c_str()); }
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Every method answers UNIMPLEMENTED.
v1::Inference::CallbackService service;

absl::StatusOr<std::unique_ptr<Server>> StartOn(const Address& address) {
  return Server::Start(address, {&service});
}

Address Listen(const std::string& text) { return *ParseListenAddress(text); }

bool Connects(const Address& address) {
  return MakeChannel(address)->WaitForConnected(std::chrono::system_clock::now() +
                                                std::chrono::seconds(10));
}

TEST(ServerTest, PortZeroBecomesARealPort) {
  auto server = StartOn(Listen("127.0.0.1:0"));
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_GT((*server)->address().port, 0);
  EXPECT_TRUE(Connects((*server)->address()));
}

TEST(ServerTest, AUnixSocketIsServedAndRemovedAtTheEnd) {
  const Folder folder;
  const std::string path = folder.File("a.sock");
  {
    auto server = StartOn(Listen("unix:" + path));
    ASSERT_TRUE(server.ok()) << server.status();
    EXPECT_TRUE(Connects((*server)->address()));
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(ServerTest, APortInUseIsRefusedWithItsAddress) {
  auto first = StartOn(Listen("127.0.0.1:0"));
  ASSERT_TRUE(first.ok()) << first.status();
  const Address address = (*first)->address();
  auto second = StartOn(address);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status(), absl::UnavailableError("cannot listen on " + address.ToString() +
                                                    ": the address is in use by another process"));
}

TEST(ServerTest, ASocketInUseIsRefusedAndADeadOneReplaced) {
  const Folder folder;
  const Address address = Listen("unix:" + folder.File("b.sock"));
  {
    auto first = StartOn(address);
    ASSERT_TRUE(first.ok()) << first.status();
    auto second = StartOn(address);
    ASSERT_FALSE(second.ok());
    EXPECT_THAT(std::string(second.status().message()),
                HasSubstr("the address is in use by another process"));
    EXPECT_TRUE(Connects(address));
  }
  // A socket file that a killed process left behind.
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  address.path.copy(name.sun_path, sizeof(name.sun_path) - 1);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  close(fd);
  auto third = StartOn(address);
  ASSERT_TRUE(third.ok()) << third.status();
  EXPECT_TRUE(Connects(address));
}

TEST(ServerTest, AFileThatIsNoSocketIsLeftAlone) {
  const Folder folder;
  const std::string path = folder.File("notes.txt");
  std::ofstream(path) << "precious";
  auto server = StartOn(Listen("unix:" + path));
  ASSERT_FALSE(server.ok());
  EXPECT_THAT(std::string(server.status().message()), HasSubstr("a file that is no socket"));
  EXPECT_EQ(access(path.c_str(), F_OK), 0);
  unlink(path.c_str());
}

TEST(ServerTest, AMissingFolderIsNamed) {
  auto server = StartOn(Listen("unix:/no/such/folder/x.sock"));
  ASSERT_FALSE(server.ok());
  EXPECT_THAT(std::string(server.status().message()), HasSubstr("folder /no/such/folder"));
}

TEST(ServerTest, AnUnknownHostIsRefused) {
  auto server = StartOn(Listen("256.1.1.1:0"));
  ASSERT_FALSE(server.ok());
  EXPECT_EQ(server.status().code(), absl::StatusCode::kUnavailable);
}

// One call of grpc.health.v1.Health/Check with raw bytes; the reply's second byte is the status
// (field 1, varint): 1 SERVING, 2 NOT_SERVING.
int HealthOf(const Address& address) {
  grpc::GenericStub stub(MakeChannel(address));
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  const grpc::Slice empty;
  const grpc::ByteBuffer request(&empty, 1);
  grpc::CompletionQueue queue;
  auto call = stub.PrepareUnaryCall(&context, "/grpc.health.v1.Health/Check", request, &queue);
  call->StartCall();
  grpc::ByteBuffer reply;
  grpc::Status status;
  call->Finish(&reply, &status, nullptr);
  void* tag;
  bool ok;
  queue.Next(&tag, &ok);
  queue.Shutdown();
  while (queue.Next(&tag, &ok)) {
  }
  if (!status.ok()) return -1;
  grpc::Slice slice;
  if (!reply.DumpToSingleSlice(&slice).ok() || slice.size() != 2) return -1;
  return slice.begin()[1];
}

TEST(ServerTest, HealthFollowsSetServing) {
  auto server = StartOn(Listen("127.0.0.1:0"));
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_EQ(HealthOf((*server)->address()), 2);
  (*server)->SetServing(true);
  EXPECT_EQ(HealthOf((*server)->address()), 1);
  (*server)->SetServing(false);
  EXPECT_EQ(HealthOf((*server)->address()), 2);
}

// Refuses with the trailing metadata it is given.
class Refusing final : public v1::Inference::CallbackService {
 public:
  explicit Refusing(std::string retry_after_ms) : retry_after_ms_(std::move(retry_after_ms)) {}
  explicit Refusing(absl::Duration retry_after) : retry_after_(retry_after) {}
  grpc::ServerUnaryReactor* ListModels(grpc::CallbackServerContext* context,
                                       const v1::ListModelsRequest*,
                                       v1::ListModelsResponse*) override {
    if (retry_after_.has_value()) SetRetryAfter(*retry_after_, context);
    if (!retry_after_ms_.empty()) context->AddTrailingMetadata("retry-after-ms", retry_after_ms_);
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "full"));
    return reactor;
  }

 private:
  std::string retry_after_ms_;
  std::optional<absl::Duration> retry_after_;
};

std::optional<absl::Duration> RetryAfterSeen(Refusing&& refusing) {
  auto server = Server::Start(Listen("127.0.0.1:0"), {&refusing});
  EXPECT_TRUE(server.ok()) << server.status();
  const auto stub = v1::Inference::NewStub(MakeChannel((*server)->address()));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  v1::ListModelsResponse models;
  EXPECT_EQ(stub->ListModels(&context, {}, &models).error_code(),
            grpc::StatusCode::RESOURCE_EXHAUSTED);
  return GetRetryAfter(context);
}

TEST(RetryAfterTest, IsRoundedUpToMilliseconds) {
  EXPECT_EQ(RetryAfterSeen(Refusing(absl::Microseconds(1500'001))), absl::Milliseconds(1501));
}

TEST(RetryAfterTest, WhatIsNoNumberOfMillisecondsWithinADayIsNotThere) {
  EXPECT_EQ(RetryAfterSeen(Refusing("0")), absl::ZeroDuration());
  EXPECT_EQ(RetryAfterSeen(Refusing("86400000")), absl::Hours(24));
  for (const char* text : {"", "86400001", "-1", "soon", "1.5", "99999999999999999999"}) {
    EXPECT_FALSE(RetryAfterSeen(Refusing(text)).has_value()) << text;
  }
}

}  // namespace
}  // namespace switchboard::rpc
