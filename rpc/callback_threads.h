// The threads on which gRPC runs the reactions and callbacks of the whole process.
#ifndef SWITCHBOARD_RPC_CALLBACK_THREADS_H_
#define SWITCHBOARD_RPC_CALLBACK_THREADS_H_

namespace switchboard::rpc {

// Keeps them from now until the process ends. gRPC 1.51 counts the channels and servers that use
// them and has whoever gives the last one up join them; a callback that does so joins its own
// thread, which aborts the process. Channels (channel.h) and servers (server.h) of this folder call
// it. Thread-safe; later calls do nothing.
void KeepCallbackThreads();

}  // namespace switchboard::rpc

#endif  // SWITCHBOARD_RPC_CALLBACK_THREADS_H_
