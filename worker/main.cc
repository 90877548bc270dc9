// switchboard-worker: hosts one model and serves its engine to routers.
#include "rpc/process.h"
#include "worker/options.h"
#include "worker/server.h"

int main(int argc, char** argv) {
  namespace worker = switchboard::worker;
  return switchboard::rpc::RunProcess<worker::WorkerServer>("worker", &worker::OptionsFromFlags,
                                                            argc, argv);
}
