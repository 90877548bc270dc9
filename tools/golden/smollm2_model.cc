#include "tools/golden/smollm2_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "tools/golden/json_row.h"
#include "tools/golden/model_run.h"
#include "tools/golden/tensor_file.h"
#include "worker/model/model_factory.h"

namespace switchboard::golden {
namespace {

// For float arithmetic on the widened weights.
constexpr double kLogitTolerance = 2e-3;
// The logarithm of a softmax moves by at most twice as much as the logits.
constexpr double kLogprobTolerance = 4e-3;
constexpr double kMeanTolerance = 1e-4;
// Least share of the recorded steps that must be comparable.
constexpr double kComparedShare = 0.95;
// Two tokens closer than this may change places.
constexpr double kDecidedMargin = 2e-3;

// Steps of greedy answers that were compared, of those that are recorded.
struct Coverage {
  int compared = 0, recorded = 0;
};

absl::Status Near(absl::string_view what, double want, double got, double tolerance) {
  if (std::abs(want - got) <= tolerance) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(what, ": want ", want, ", got ", got));
}

absl::StatusOr<std::vector<int32_t>> IdsOf(const JsonRow& row, absl::string_view key,
                                           const model::Model& model) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, row.Ints(key));
  RETURN_IF_ERROR(CheckIds(numbers, model.shape()));
  return AsIds(numbers);
}

// The recorded best twenty of every position of the prompt; `logits` are those of all of them.
absl::Status JudgeTop(const JsonRow& chat, absl::Span<const float> logits, size_t vocabulary) {
  ASSIGN_OR_RETURN(const Json* ids, chat.Find("top20_ids"));
  ASSIGN_OR_RETURN(const Json* values, chat.Find("top20_logits"));
  const size_t rows = logits.size() / vocabulary;
  if (!ids->is_array() || !values->is_array() || ids->as_array().size() != rows ||
      values->as_array().size() != rows) {
    return absl::InvalidArgumentError("top20_ids and top20_logits are no lists over the prompt");
  }
  for (size_t row = 0; row < rows; ++row) {
    const JsonObject pair = {{"ids", ids->as_array()[row]}, {"logits", values->as_array()[row]}};
    ASSIGN_OR_RETURN(const std::vector<int64_t> top, JsonRow(pair).Ints("ids"));
    ASSIGN_OR_RETURN(const std::vector<double> want, JsonRow(pair).Numbers("logits"));
    if (top.empty() || top.size() != want.size()) {
      return absl::InvalidArgumentError("top20_logits does not go with top20_ids");
    }
    for (size_t i = 0; i < top.size(); ++i) {
      if (top[i] < 0 || top[i] >= static_cast<int64_t>(vocabulary)) {
        return absl::InvalidArgumentError(absl::StrCat("top20_ids holds ", top[i]));
      }
      RETURN_IF_ERROR(Near(absl::StrCat("position ", row, " token ", top[i]), want[i],
                           logits[row * vocabulary + static_cast<size_t>(top[i])],
                           kLogitTolerance));
    }
  }
  return absl::OkStatus();
}

// Every third chat: all logits of the last position, the best of every position.
absl::Status JudgePromptLogits(const JsonRow& chat, const TensorFile& tensors,
                               model::Model* model) {
  ASSIGN_OR_RETURN(const std::string name, chat.Text("last_logits"));
  const TensorFile::Tensor* tensor = tensors.Find(name);
  const size_t vocabulary = static_cast<size_t>(model->shape().vocab_size);
  if (tensor == nullptr || tensor->type != "F32" ||
      tensor->bytes.size() != vocabulary * sizeof(float)) {
    return absl::InvalidArgumentError(absl::StrCat("there are no logits named ", name));
  }
  ASSIGN_OR_RETURN(const std::vector<int32_t> ids, IdsOf(chat, "ids", *model));
  const int tokens = static_cast<int>(ids.size());
  ASSIGN_OR_RETURN(SequenceRun run, SequenceRun::Create(model, tokens));
  ASSIGN_OR_RETURN(const std::vector<float> logits, run.Prompt(ids, {}, tokens));
  RETURN_IF_ERROR(Close("last logits", tensor->As<float>(),
                        absl::MakeConstSpan(logits).subspan((ids.size() - 1) * vocabulary),
                        kLogitTolerance));
  return JudgeTop(chat, logits, vocabulary);
}

absl::Status JudgeStep(const JsonRow& step, absl::Span<const float> logits) {
  ASSIGN_OR_RETURN(const int64_t id, step.Int("id"));
  ASSIGN_OR_RETURN(const double logprob, step.Number("logprob"));
  if (id != BestOf(logits)) {
    return absl::DataLossError(absl::StrCat("chose ", BestOf(logits), " instead of ", id));
  }
  return Near("log-probability", logprob, LogProbabilities(logits)[static_cast<size_t>(id)],
              kLogprobTolerance);
}

// The greedy answer, up to the first step whose best two tokens are too close to tell and where the
// model takes the other one: from there on the two texts differ.
absl::Status JudgeGreedy(const JsonRow& chat, model::Model* model, Coverage* coverage) {
  ASSIGN_OR_RETURN(const std::vector<int32_t> ids, IdsOf(chat, "ids", *model));
  ASSIGN_OR_RETURN(const Json* steps, chat.Find("steps"));
  if (!steps->is_array() || steps->as_array().empty()) {
    return absl::InvalidArgumentError("steps is no filled list");
  }
  const int count = static_cast<int>(steps->as_array().size());
  coverage->recorded += count;
  ASSIGN_OR_RETURN(SequenceRun run,
                   SequenceRun::Create(model, static_cast<int>(ids.size()) + count));
  ASSIGN_OR_RETURN(std::vector<float> logits, run.Prompt(ids, {}, 1));
  for (int i = 0; i < count; ++i) {
    const Json& value = steps->as_array()[static_cast<size_t>(i)];
    if (!value.is_object()) return absl::InvalidArgumentError("a step is no object");
    const JsonRow step(value.as_object());
    ASSIGN_OR_RETURN(const double margin, step.Number("margin"));
    ASSIGN_OR_RETURN(const int64_t id, step.Int("id"));
    if (margin <= kDecidedMargin && id != BestOf(logits)) break;
    if (absl::Status status = JudgeStep(step, logits); !status.ok()) {
      return Annotate(status, absl::StrCat("step ", i));
    }
    ++coverage->compared;
    logits = run.Next(BestOf(logits));
  }
  return absl::OkStatus();
}

absl::Status JudgeChats(const DataFolder& data, model::Model* model, Report* report) {
  ASSIGN_OR_RETURN(const std::vector<Json> chats, data.ReadJsonLines("smollm2/chats.jsonl"));
  ASSIGN_OR_RETURN(std::string bytes, data.Read("smollm2/logits.safetensors"));
  ASSIGN_OR_RETURN(const TensorFile tensors, TensorFile::Parse(std::move(bytes)));
  Coverage coverage;
  for (size_t i = 0; i < chats.size(); ++i) {
    if (!chats[i].is_object()) return absl::InvalidArgumentError("a chat is no object");
    const JsonRow chat(chats[i].as_object());
    const std::string name = absl::StrCat("smollm2 chat ", i);
    if (chat.Has("last_logits")) {
      report->Judge(absl::StrCat(name, " logits"), JudgePromptLogits(chat, tensors, model));
    }
    report->Judge(absl::StrCat(name, " greedy"), JudgeGreedy(chat, model, &coverage));
  }
  const std::string compared =
      absl::StrCat(coverage.compared, " of ", coverage.recorded, " greedy steps");
  report->Note(absl::StrCat("smollm2: compared ", compared));
  report->Judge("smollm2 steps compared",
                coverage.compared >= kComparedShare * coverage.recorded
                    ? absl::OkStatus()
                    : absl::DataLossError(absl::StrCat("only ", compared)));
  return absl::OkStatus();
}

// Position i predicts ids[i + 1]: the recorded best token, and how unlikely the next one was.
absl::Status JudgePosition(absl::Span<const float> logits, int64_t best, int32_t next, double nll,
                           double* sum) {
  const int32_t got = BestOf(logits);
  if (best < 0 || best >= static_cast<int64_t>(logits.size())) {
    return absl::InvalidArgumentError(absl::StrCat("top1_agreement_positions holds ", best));
  }
  const double behind = static_cast<double>(logits[static_cast<size_t>(got)]) -
                        static_cast<double>(logits[static_cast<size_t>(best)]);
  if (!(behind <= kDecidedMargin)) {
    return absl::DataLossError(absl::StrCat("best is ", got, " instead of ", best));
  }
  const double mine = -LogProbabilities(logits)[static_cast<size_t>(next)];
  *sum += mine;
  return Near("negative log-likelihood", nll, mine, kLogprobTolerance);
}

absl::Status JudgePerplexity(const DataFolder& data, model::Model* model) {
  ASSIGN_OR_RETURN(const Json json, data.ReadJson("smollm2/perplexity.json"));
  if (!json.is_object()) return absl::InvalidArgumentError("perplexity.json is no object");
  const JsonRow row(json.as_object());
  ASSIGN_OR_RETURN(const std::vector<int32_t> ids, IdsOf(row, "ids", *model));
  ASSIGN_OR_RETURN(const std::vector<double> nll, row.Numbers("nll"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> best, row.Ints("top1_agreement_positions"));
  ASSIGN_OR_RETURN(const double mean, row.Number("mean_nll"));
  if (ids.size() < 2 || nll.size() != ids.size() - 1 || best.size() != nll.size()) {
    return absl::InvalidArgumentError("nll does not go with ids");
  }
  const int tokens = static_cast<int>(ids.size());
  ASSIGN_OR_RETURN(SequenceRun run, SequenceRun::Create(model, tokens));
  ASSIGN_OR_RETURN(const std::vector<float> logits, run.Prompt(ids, {}, tokens));
  const size_t vocabulary = static_cast<size_t>(model->shape().vocab_size);
  double sum = 0;
  for (size_t i = 0; i < nll.size(); ++i) {
    const absl::Status status =
        JudgePosition(absl::MakeConstSpan(logits).subspan(i * vocabulary, vocabulary), best[i],
                      ids[i + 1], nll[i], &sum);
    if (!status.ok()) return Annotate(status, absl::StrCat("position ", i));
  }
  return Near("mean", mean, sum / static_cast<double>(nll.size()), kMeanTolerance);
}

}  // namespace

void JudgeSmollm2Model(const DataFolder& data, const std::string& gguf, Report* report) {
  model::LoadOptions options;
  options.max_model_len = 4096;
  options.max_sequences = 1;
  const absl::StatusOr<model::LoadedModel> loaded = model::LoadModel(gguf, options, nullptr);
  if (absl::IsUnimplemented(loaded.status())) {
    return report->Skip("smollm2 answers", loaded.status().message());
  }
  if (!loaded.ok()) return report->Fail("smollm2 answers", loaded.status().message());
  if (absl::Status status = JudgeChats(data, loaded->model.get(), report); !status.ok()) {
    report->Fail("smollm2 chats", status.message());
  }
  report->Judge("smollm2 perplexity", JudgePerplexity(data, loaded->model.get()));
}

}  // namespace switchboard::golden
