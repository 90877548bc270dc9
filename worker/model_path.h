// Where the model lies that --model names: a folder, a GGUF file, or ORG/NAME in a local Hugging
// Face cache. Nothing is ever downloaded.
#ifndef SWITCHBOARD_WORKER_MODEL_PATH_H_
#define SWITCHBOARD_WORKER_MODEL_PATH_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard::worker {

struct ModelPath {
  std::string path;  // an existing folder or file
  // What requests may call the model unless flags say otherwise: the name of the folder, a file's
  // name without its suffix, or for ORG/NAME both ORG/NAME and NAME. Empty for a
  // path without a name, such as "/".
  std::vector<std::string> names;
};

// The value of an environment variable; nullptr when it is not set.
using EnvironmentFn = absl::FunctionRef<const char*(const char* name)>;

// A path that exists wins. ORG/NAME is looked up in the caches that huggingface_hub and
// transformers use: HF_HUB_CACHE, HF_HOME/hub, TRANSFORMERS_CACHE, then
// XDG_CACHE_HOME/huggingface/hub (~/.cache without it); there in
// models--ORG--NAME/snapshots/REVISION, with the revision that refs/main names, or the only one.
// NotFound lists the places that were looked at; InvalidArgument when several revisions are there
// and refs/main names none of them.
absl::StatusOr<ModelPath> FindModel(const std::string& model, EnvironmentFn environment);

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_MODEL_PATH_H_
