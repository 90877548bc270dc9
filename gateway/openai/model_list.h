// GET /v1/models.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_MODEL_LIST_H_
#define SWITCHBOARD_GATEWAY_OPENAI_MODEL_LIST_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace switchboard::openai {

struct ModelEntry {
  std::string name;
  std::string root;     // what it was loaded from
  int64_t created = 0;  // Unix seconds
  int64_t max_model_len = 0;
};

std::string ModelListJson(absl::Span<const ModelEntry> models);
std::string ModelJson(const ModelEntry& model);

// 404 model_not_found. The name is quoted up to a length.
absl::Status ModelNotFound(absl::string_view name);

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_MODEL_LIST_H_
