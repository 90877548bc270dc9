#include "text/tokenizer/pipeline_steps.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "text/tokenizer/vocabulary.h"

namespace switchboard::text {
namespace {

// Collects the steps; `children` is the member that holds those of a Sequence.
class Steps {
 public:
  explicit Steps(absl::string_view children) : children_(children) {}

  absl::Status Add(const Json& value, const std::string& path, int depth) {
    constexpr int kMaxDepth = 8;
    ASSIGN_OR_RETURN(const JsonField step, JsonField::Of(value, path));
    ASSIGN_OR_RETURN(const std::string type, step.String("type"));
    if (type != "Sequence") {
      if (found_.size() == kMaxSteps) {
        return step.Invalid("type", absl::StrCat("more than ", kMaxSteps, " steps"));
      }
      found_.push_back(step);
      return absl::OkStatus();
    }
    if (depth == kMaxDepth) return step.Invalid("type", "sequences nested too deeply");
    ASSIGN_OR_RETURN(const JsonArray* list, step.List(children_));
    for (size_t i = 0; i < list->size(); ++i) {
      RETURN_IF_ERROR(Add((*list)[i], absl::StrCat(step.Path(children_), "[", i, "]"), depth + 1));
    }
    return absl::OkStatus();
  }

  std::vector<JsonField> Take() { return std::move(found_); }

 private:
  const absl::string_view children_;
  std::vector<JsonField> found_;
};

}  // namespace

absl::StatusOr<std::vector<JsonField>> ReadSteps(const JsonField& file, absl::string_view member,
                                                 absl::string_view children) {
  Steps steps(children);
  if (const Json* value = file.Find(member); value != nullptr) {
    RETURN_IF_ERROR(steps.Add(*value, file.Path(member), 0));
  }
  return steps.Take();
}

absl::Status UnknownType(const JsonField& step, absl::string_view type) {
  return step.Unsupported("type", absl::StrCat(Quoted(type), " is not supported"));
}

}  // namespace switchboard::text
