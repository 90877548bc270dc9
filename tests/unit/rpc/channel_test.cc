#include "rpc/channel.h"

#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>

namespace switchboard::rpc {
namespace {

// All that holds a channel, its context included.
struct OneCall {
  explicit OneCall(const std::shared_ptr<grpc::Channel>& channel) : stub(channel) {}
  grpc::GenericStub stub;
  grpc::ClientContext context;
  const grpc::Slice nothing;
  grpc::ByteBuffer request{&nothing, 1}, response;
};

TEST(MakeChannel, LetsTheLastChannelGoInACallback) {
  const std::string nobody = "unix:" + testing::TempDir() + "/nobody_listens_here";
  std::promise<grpc::StatusCode> ended;
  auto call = std::make_shared<OneCall>(MakeChannel(*ParseDialAddress(nobody)));
  OneCall* const raw = call.get();
  raw->stub.UnaryCall(&raw->context, "/a.B/C", {}, &raw->request, &raw->response,
                      [call = std::move(call), &ended](const grpc::Status& status) mutable {
                        call.reset();
                        ended.set_value(status.error_code());
                      });
  EXPECT_EQ(ended.get_future().get(), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace switchboard::rpc
