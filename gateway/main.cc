// switchboard-gateway: speaks the OpenAI API to clients and token ids to routers.
#include "gateway/options.h"
#include "gateway/server.h"
#include "rpc/process.h"

int main(int argc, char** argv) {
  namespace gateway = switchboard::gateway;
  return switchboard::rpc::RunProcess<gateway::GatewayServer>("gateway", &gateway::OptionsFromFlags,
                                                              argc, argv);
}
