// What stands beside the weights in a GGUF file: tokenizer, chat template, end tokens.
#ifndef SWITCHBOARD_WORKER_SERVICE_GGUF_FILES_H_
#define SWITCHBOARD_WORKER_SERVICE_GGUF_FILES_H_

#include "absl/status/statusor.h"
#include "worker/model/gguf_metadata.h"
#include "worker/service/model_files.h"

namespace switchboard::worker {

// The tokenizer goes out as a JSON object of the file's tokenizer.ggml.* keys, which
// Tokenizer::FromJson reads too; the template is tokenizer.chat_template. End tokens are eos, eot
// and eom of the tokenizer. InvalidArgument, naming the key, for one that is missing, of the wrong
// type, not UTF-8, or an id without a token.
absl::StatusOr<ModelFiles> GgufModelFiles(const model::GgufMetadata& metadata);

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_GGUF_FILES_H_
