#include "rpc/callback_threads.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <memory>

namespace switchboard::rpc {
namespace {

// A call with a callback, over a channel that leads nowhere: without credentials gRPC gives one
// whose calls fail at once, with no connection.
struct IdleUser {
  const std::shared_ptr<grpc::Channel> channel = grpc::CreateChannel("nowhere", /*creds=*/nullptr);
  grpc::GenericStub stub{channel};
  grpc::ClientContext context;
  const grpc::Slice nothing;
  grpc::ByteBuffer request{&nothing, 1}, response;
};

}  // namespace

void KeepCallbackThreads() {
  // Never destroyed, and so never the last user to go.
  static const IdleUser* const idle_user = [] {
    auto* user = new IdleUser;
    user->stub.UnaryCall(&user->context, "/switchboard.Nothing/Nothing", {}, &user->request,
                         &user->response, [](const grpc::Status&) {});
    return user;
  }();
  static_cast<void>(idle_user);
}

}  // namespace switchboard::rpc
