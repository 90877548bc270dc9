#include "tools/golden/text_models.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/golden/json_row.h"
#include "tools/golden/model_run.h"
#include "tools/golden/tensor_file.h"
#include "worker/model/decoder_model.h"

namespace switchboard::golden {
namespace {

constexpr double kLogitTolerance = 3e-4;
constexpr double kHiddenTolerance = 2e-4;
constexpr double kLogprobTolerance = 3e-4;
// Two tokens closer than this may change places in float arithmetic.
constexpr double kDecidedMargin = 1e-3;

struct Subject {
  std::unique_ptr<model::DecoderModel> model;
  TensorFile tensors;
};

absl::StatusOr<std::vector<float>> FloatsOf(const TensorFile& tensors, const std::string& name) {
  const TensorFile::Tensor* tensor = tensors.Find(name);
  if (tensor == nullptr || tensor->type != "F32") {
    return absl::InvalidArgumentError(absl::StrCat("there are no floats named ", name));
  }
  return tensor->As<float>();
}

absl::Status JudgeLogits(const JsonRow& prompt, const std::vector<int32_t>& ids, Subject* subject) {
  ASSIGN_OR_RETURN(const std::string name, prompt.Text("logits"));
  ASSIGN_OR_RETURN(const std::vector<float> want, FloatsOf(subject->tensors, name));
  const int vocab = subject->model->shape().vocab_size;
  const int rows = static_cast<int>(want.size()) / vocab;
  ASSIGN_OR_RETURN(const int64_t first, prompt.Int("first_logit_position"));
  if (rows <= 0 || first < 0 || first + rows != static_cast<int64_t>(ids.size())) {
    return absl::InvalidArgumentError("the logits do not end at the prompt's last token");
  }
  ASSIGN_OR_RETURN(SequenceRun run,
                   SequenceRun::Create(subject->model.get(), static_cast<int>(ids.size())));
  ASSIGN_OR_RETURN(const std::vector<float> got, run.Prompt(ids, {}, rows));
  return Close("logits", want, got, kLogitTolerance);
}

// The embedding, every layer's output and the final norm.
absl::Status JudgeHidden(const std::string& name, const std::vector<int32_t>& ids,
                         Subject* subject) {
  ASSIGN_OR_RETURN(const std::vector<float> want, FloatsOf(subject->tensors, name));
  ASSIGN_OR_RETURN(SequenceRun run,
                   SequenceRun::Create(subject->model.get(), static_cast<int>(ids.size())));
  RETURN_IF_ERROR(run.Plan(static_cast<int>(ids.size()), {}));
  std::vector<float> got;
  const auto append = [&got](backend::ConstRows rows) {
    got.insert(got.end(), rows.data, rows.row(rows.rows));
  };
  model::Decoder& text = subject->model->text();
  text.Begin({run.PromptSlice(ids, static_cast<int>(ids.size()))});
  append(text.hidden());
  for (int layer = 0; layer < text.layers(); ++layer) {
    text.RunLayer(layer, model::DecoderModel::PagesOf(run.cache()));
    append(text.hidden());
  }
  std::vector<float> logits(ids.size() * static_cast<size_t>(subject->model->shape().vocab_size));
  text.Finish(logits.data());
  append(text.normed());
  return Close("hidden states", want, got, kHiddenTolerance);
}

// A step: the best id and the log-probabilities of the best five.
absl::Status JudgeStep(const JsonRow& step, absl::Span<const float> logits) {
  ASSIGN_OR_RETURN(const int64_t id, step.Int("id"));
  if (id != BestOf(logits)) {
    return absl::DataLossError(absl::StrCat("chose ", BestOf(logits), " instead of ", id));
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> top, step.Ints("top_ids"));
  ASSIGN_OR_RETURN(const std::vector<double> wanted, step.Numbers("top_logprobs"));
  if (wanted.size() != top.size() || wanted.empty()) {
    return absl::InvalidArgumentError("top_logprobs does not go with top_ids");
  }
  const std::vector<double> logprobs = LogProbabilities(logits);
  for (size_t i = 0; i < top.size(); ++i) {
    if (top[i] < 0 || top[i] >= static_cast<int64_t>(logprobs.size())) {
      return absl::InvalidArgumentError(absl::StrCat("top_ids holds ", top[i], ", no token id"));
    }
    const double want = wanted[i];
    const double got = logprobs[static_cast<size_t>(top[i])];
    if (!(std::abs(want - got) <= kLogprobTolerance)) {
      return absl::DataLossError(
          absl::StrCat("log-probability of ", top[i], ": want ", want, ", got ", got));
    }
  }
  return absl::OkStatus();
}

absl::Status JudgeGreedy(const JsonRow& prompt, const std::vector<int32_t>& ids, Subject* subject) {
  ASSIGN_OR_RETURN(const Json* steps, prompt.Find("steps"));
  if (!steps->is_array() || steps->as_array().empty()) {
    return absl::InvalidArgumentError("steps is no filled list");
  }
  const int total = static_cast<int>(ids.size() + steps->as_array().size());
  ASSIGN_OR_RETURN(SequenceRun run, SequenceRun::Create(subject->model.get(), total));
  ASSIGN_OR_RETURN(std::vector<float> logits, run.Prompt(ids, {}, 1));
  int count = 0;
  for (const Json& value : steps->as_array()) {
    if (!value.is_object()) return absl::InvalidArgumentError("a step is no object");
    const JsonRow step(value.get_object());
    ASSIGN_OR_RETURN(const double margin, step.Number("margin"));
    ASSIGN_OR_RETURN(const int64_t id, step.Int("id"));
    // From here on the two texts differ, and either is right.
    if (margin <= kDecidedMargin && id != BestOf(logits)) break;
    if (absl::Status status = JudgeStep(step, logits); !status.ok()) {
      return Annotate(status, absl::StrCat("step ", count));
    }
    logits = run.Next(static_cast<int32_t>(id));
    ++count;
  }
  return absl::OkStatus();
}

void JudgePrompt(const std::string& name, const JsonRow& prompt, Subject* subject, Report* report) {
  const absl::StatusOr<std::vector<int64_t>> numbers = prompt.Ints("ids");
  if (!numbers.ok()) return report->Fail(name, numbers.status().message());
  if (absl::Status status = CheckIds(*numbers, subject->model->shape()); !status.ok()) {
    return report->Fail(name, status.message());
  }
  const std::vector<int32_t> ids = AsIds(*numbers);
  report->Judge(absl::StrCat(name, " logits"), JudgeLogits(prompt, ids, subject));
  // Null where the hidden states are not recorded.
  if (const absl::StatusOr<const Json*> value = prompt.Find("hidden");
      !value.ok() || !(*value)->is_null()) {
    const absl::StatusOr<std::string> hidden = prompt.Text("hidden");
    report->Judge(absl::StrCat(name, " hidden"),
                  hidden.ok() ? JudgeHidden(*hidden, ids, subject) : hidden.status());
  }
  report->Judge(absl::StrCat(name, " greedy"), JudgeGreedy(prompt, ids, subject));
}

absl::Status JudgeModel(const DataFolder& data, const std::string& folder, Report* report) {
  ASSIGN_OR_RETURN(const std::string config, data.Find(absl::StrCat(folder, "/config.json")));
  ASSIGN_OR_RETURN(std::unique_ptr<model::DecoderModel> model,
                   LoadTextForJudging(std::filesystem::path(config).parent_path().string()));
  ASSIGN_OR_RETURN(std::string bytes, data.Read(absl::StrCat(folder, "/expected.safetensors")));
  ASSIGN_OR_RETURN(TensorFile tensors, TensorFile::Parse(std::move(bytes)));
  Subject subject = {std::move(model), std::move(tensors)};
  ASSIGN_OR_RETURN(const Json expected, data.ReadJson(absl::StrCat(folder, "/expected.json")));
  const Json* prompts =
      expected.is_object() ? FindMember(expected.as_object(), "prompts") : nullptr;
  if (prompts == nullptr || !prompts->is_array()) {
    return absl::InvalidArgumentError("expected.json has no prompts");
  }
  if (prompts->as_array().empty())
    return absl::InvalidArgumentError("expected.json has no prompts");
  int number = 0;
  for (const Json& prompt : prompts->as_array()) {
    if (!prompt.is_object()) return absl::InvalidArgumentError("a prompt is no object");
    JudgePrompt(absl::StrCat(folder, "/prompt ", number++), JsonRow(prompt.as_object()), &subject,
                report);
  }
  return absl::OkStatus();
}

}  // namespace

void JudgeTextModels(const DataFolder& data, Report* report) {
  for (const std::string& name : data.Folders("models")) {
    const std::string folder = absl::StrCat("models/", name);
    if (absl::Status status = JudgeModel(data, folder, report); !status.ok()) {
      report->Fail(folder, status.message());
    }
  }
}

}  // namespace switchboard::golden
