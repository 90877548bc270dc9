#include "gateway/openai/model_list.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gateway/openai/error.h"

namespace switchboard::openai {
namespace {

constexpr size_t kMaxQuotedName = 200;

JsonObject Entry(const ModelEntry& model) {
  return {{"id", model.name},          {"object", "model"},
          {"created", model.created},  {"owned_by", "switchboard"},
          {"root", model.root},        {"parent", nullptr},
          {"permission", JsonArray()}, {"max_model_len", model.max_model_len}};
}

}  // namespace

std::string ModelListJson(absl::Span<const ModelEntry> models) {
  JsonArray data;
  for (const ModelEntry& model : models) data.push_back(Entry(model));
  return SerializeJson(JsonObject{{"object", "list"}, {"data", std::move(data)}});
}

std::string ModelJson(const ModelEntry& model) { return SerializeJson(Entry(model)); }

absl::Status ModelNotFound(absl::string_view name) {
  return Error("model_not_found", "model",
               absl::StrCat("The model `", name.substr(0, kMaxQuotedName), "` does not exist."));
}

}  // namespace switchboard::openai
