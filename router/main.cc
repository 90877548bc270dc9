// switchboard-router: places requests on workers and relays their streams.
#include "router/options.h"
#include "router/server.h"
#include "rpc/process.h"

int main(int argc, char** argv) {
  namespace router = switchboard::router;
  return switchboard::rpc::RunProcess<router::RouterServer>("router", &router::OptionsFromFlags,
                                                            argc, argv);
}
