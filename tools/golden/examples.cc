#include "tools/golden/examples.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "media/decode.h"
#include "media/patches.h"
#include "media/resize.h"
#include "media/smart_resize.h"
#include "text/tokenizer/tokenizer.h"
#include "tools/golden/json_row.h"
#include "tools/golden/model_run.h"
#include "worker/model/config.h"

namespace switchboard::golden {
namespace {

// Below this margin between the two best logits the reference might have chosen the other token on
// another machine.
constexpr double kDecidedMargin = 0.02;
constexpr double kComparedShare = 0.95;
constexpr size_t kMaxFileBytes = size_t{64} << 20;

struct Subject {
  std::unique_ptr<model::Glm4vModel> model;
  model::Glm4vConfig config;
  media::PatchGrid grid;
  std::unique_ptr<const text::Tokenizer> tokenizer;
};

struct Tally {
  size_t steps = 0, compared = 0;
};

absl::StatusOr<media::PatchGrid> ReadGrid(const std::string& model_dir) {
  ASSIGN_OR_RETURN(const std::string text,
                   ReadFile(model_dir + "/preprocessor_config.json", kMaxFileBytes));
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  if (!json.is_object()) {
    return absl::InvalidArgumentError("preprocessor_config.json is no object");
  }
  ASSIGN_OR_RETURN(const JsonRow size, JsonRow(json.as_object()).Row("size"));
  media::PatchGrid grid;
  ASSIGN_OR_RETURN(grid.min_pixels, size.Int("shortest_edge"));
  ASSIGN_OR_RETURN(grid.max_pixels, size.Int("longest_edge"));
  return grid;
}

absl::StatusOr<Subject> Load(const std::string& model_dir) {
  Subject subject;
  ASSIGN_OR_RETURN(subject.model, LoadForJudging(model_dir));
  ASSIGN_OR_RETURN(const JsonObject json, model::ReadConfig(model_dir));
  ASSIGN_OR_RETURN(subject.config, model::ParseGlm4vConfig(json));
  ASSIGN_OR_RETURN(subject.grid, ReadGrid(model_dir));
  ASSIGN_OR_RETURN(const std::string tokenizer,
                   ReadFile(model_dir + "/tokenizer.json", kMaxFileBytes));
  ASSIGN_OR_RETURN(subject.tokenizer, text::Tokenizer::FromJson(tokenizer));
  return subject;
}

// The row's screenshot, where it has one.
absl::StatusOr<std::vector<PromptImage>> ImagesOf(const DataFolder& data, const JsonRow& row,
                                                  const std::vector<int32_t>& ids,
                                                  const Subject& subject) {
  std::vector<PromptImage> images;
  if (!row.Has("image")) return images;
  ASSIGN_OR_RETURN(const std::string name, row.Text("image"));
  ASSIGN_OR_RETURN(const std::string bytes, data.Read(name));
  ASSIGN_OR_RETURN(const media::RgbImage image, media::DecodeImage(bytes));
  ASSIGN_OR_RETURN(const media::ImagePlacement place,
                   media::PlaceImage(image.height, image.width, subject.grid));
  ASSIGN_OR_RETURN(const std::vector<int64_t> grid, row.Ints("grid_thw"));
  if (grid != std::vector<int64_t>{1, place.grid_h, place.grid_w}) {
    return absl::DataLossError(
        absl::StrCat("grid: got ", place.grid_h, "x", place.grid_w, " patches"));
  }
  int32_t offset = 0;
  while (offset < static_cast<int32_t>(ids.size()) &&
         ids[static_cast<size_t>(offset)] != subject.config.image_token_id) {
    ++offset;
  }
  std::vector<float> patches =
      media::MakePatches(media::ResizeBicubic(image, place.resized), subject.grid, {});
  images.push_back(
      {{offset, place.grid_h, place.grid_w},
       EncodeWhole(subject.model.get(), std::move(patches), place.grid_h, place.grid_w)});
  return images;
}

absl::Status JudgeText(const JsonRow& row, std::vector<int32_t> output, const Subject& subject) {
  ASSIGN_OR_RETURN(const std::string want, row.Text("text"));
  ASSIGN_OR_RETURN(const std::string finish, row.Text("finish"));
  if (finish == "stop") output.pop_back();
  if (subject.tokenizer->Decode(output, /*skip_special=*/true) == want) return absl::OkStatus();
  return absl::DataLossError("the text differs");
}

absl::Status JudgeRow(const DataFolder& data, const JsonRow& row, const Subject& subject,
                      Tally* tally) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> input, row.Ints("input_ids"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> want, row.Ints("output_ids"));
  ASSIGN_OR_RETURN(const std::vector<double> margins, row.Numbers("margins"));
  if (margins.size() != want.size() || want.empty()) {
    return absl::InvalidArgumentError("margins does not go with output_ids");
  }
  RETURN_IF_ERROR(CheckIds(input, subject.model->shape()));
  const std::vector<int32_t> ids = AsIds(input);
  tally->steps += want.size();
  ASSIGN_OR_RETURN(const std::vector<PromptImage> images, ImagesOf(data, row, ids, subject));
  ASSIGN_OR_RETURN(
      SequenceRun run,
      SequenceRun::Create(subject.model.get(), static_cast<int>(input.size() + want.size())));
  ASSIGN_OR_RETURN(std::vector<float> logits, run.Prompt(ids, images, 1));
  std::vector<int32_t> output;
  for (size_t i = 0; i < want.size(); ++i) {
    output.push_back(BestOf(logits));
    if (output.back() != want[i]) {
      // Where the reference was undecided, either is right, and from here on the two texts differ.
      if (margins[i] <= kDecidedMargin) return absl::OkStatus();
      return absl::DataLossError(
          absl::StrCat("step ", i, ": chose ", output.back(), " instead of ", want[i]));
    }
    ++tally->compared;
    if (i + 1 < want.size()) logits = run.Next(output.back());
  }
  return JudgeText(row, std::move(output), subject);
}

void JudgeFile(const DataFolder& data, const std::string& file, const Subject& subject,
               Tally* tally, Report* report) {
  const absl::StatusOr<std::vector<Json>> rows = data.ReadJsonLines(file);
  if (!rows.ok()) return report->Fail(file, rows.status().message());
  if (rows->empty()) return report->Fail(file, "has no rows");
  for (const Json& value : *rows) {
    const JsonRow row(value.get_object());
    const absl::StatusOr<std::string> id = row.Text("id");
    report->Judge(absl::StrCat(file, " ", id.ok() ? *id : "without id"),
                  JudgeRow(data, row, subject, tally));
  }
}

}  // namespace

void JudgeExamples(const DataFolder& data, absl::string_view model_dir, Report* report) {
  const absl::StatusOr<Subject> subject = Load(std::string(model_dir));
  if (!subject.ok()) return report->Fail(model_dir, subject.status().message());
  Tally tally;
  for (const char* file : {"demo.jsonl", "examples.jsonl"}) {
    JudgeFile(data, file, *subject, &tally, report);
  }
  const double share =
      tally.steps == 0 ? 0 : static_cast<double>(tally.compared) / static_cast<double>(tally.steps);
  report->Judge("steps compared", share >= kComparedShare
                                      ? absl::OkStatus()
                                      : absl::DataLossError(absl::StrCat("only ", tally.compared,
                                                                         " of ", tally.steps)));
}

}  // namespace switchboard::golden
