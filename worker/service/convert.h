// Between protocol messages and the engine's plain structs: the only place in the worker that knows
// both.
#ifndef SWITCHBOARD_WORKER_SERVICE_CONVERT_H_
#define SWITCHBOARD_WORKER_SERVICE_CONVERT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "switchboard/v1/inference.pb.h"
#include "switchboard/v1/worker.pb.h"
#include "worker/engine/options.h"
#include "worker/engine/request.h"
#include "worker/engine/stats.h"
#include "worker/service/model_files.h"

namespace switchboard::worker {

// What this worker is, said in its card and its reports.
struct Identity {
  std::string name;         // for logs
  std::string incarnation;  // drawn at start
  std::string fingerprint;
  std::vector<std::string> model_names;  // the first is the canonical one
  std::string root;                      // last part of the model's path
  int64_t created = 0;                   // Unix seconds when the model had been loaded
};

// Settings of the card that are no file's business.
struct CardOptions {
  int max_model_len = 0;
  int vocab_size = 0;
  int max_images = 10;
  bool openai_content_format = false;  // else: string
};

// Everything but the images, which need decoding (image_loader.h).
engine::Request ToEngineRequest(const v1::GenerateRequest& request);

v1::ModelCard ToCard(const Identity& identity, const ModelFiles& files, const CardOptions& options);
v1::WorkerReport ToReport(const Identity& identity, const engine::EngineStats& stats,
                          const engine::EngineOptions& limits, bool draining);
// One entry for each name of the model.
void AddModelNames(const Identity& identity, const v1::ModelCard& card,
                   google::protobuf::RepeatedPtrField<v1::ModelName>* models);

// Appends an engine event to `pending`, log-probabilities if they were asked for. Tokens that
// continue the last pending message join it. REQUIRES: not a FailedEvent, which is a status and no
// message.
void AppendEvent(const engine::Event& event, const Identity& identity, bool with_logprobs,
                 std::vector<v1::GenerateEvent>* pending);

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_CONVERT_H_
