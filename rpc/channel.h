// Channels between our processes, all with the same arguments.
#ifndef SWITCHBOARD_RPC_CHANNEL_H_
#define SWITCHBOARD_RPC_CHANNEL_H_

#include <grpcpp/channel.h>

#include <memory>

#include "rpc/address.h"

namespace switchboard::rpc {

// Largest message in either direction, on every hop: a request with its images fits.
inline constexpr int kMaxMessageBytes = 128 << 20;

// A channel with a connection of its own (so bulk and control traffic do not wait for each other
// when each has its channel). It connects on the first call, ignores HTTP proxies of the
// environment, and notices a silently dead peer within 15 s by keep-alive pings; broken connections
// are tried again after 0.1 s to 2 s. Plain text. Thread-safe, never null.
std::shared_ptr<grpc::Channel> MakeChannel(const Address& address);

}  // namespace switchboard::rpc

#endif  // SWITCHBOARD_RPC_CHANNEL_H_
