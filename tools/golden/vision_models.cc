#include "tools/golden/vision_models.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "media/decode.h"
#include "media/patches.h"
#include "media/resize.h"
#include "media/smart_resize.h"
#include "tools/golden/json_row.h"
#include "tools/golden/model_run.h"
#include "tools/golden/tensor_file.h"
#include "worker/model/config.h"

namespace switchboard::golden {
namespace {

constexpr double kPixelTolerance = 1e-6;
constexpr double kStageTolerance = 1e-4;  // times the largest value, at least 1
constexpr double kLogitTolerance = 2e-3;
// A choice is decided where its margin exceeds so many times the error of the logits.
constexpr double kDecidedErrors = 10;
constexpr int64_t kMergedPatches = 4;
constexpr size_t kMaxGreedy = 64;

struct Picture {
  std::vector<float> patches;
  int grid_h = 0, grid_w = 0;
};

struct Subject {
  std::string name;  // "models/a_fp32"
  std::unique_ptr<model::Glm4vModel> model;
  model::Glm4vConfig config;
  TensorFile golden;
  std::map<std::string, Picture> pictures;
};

absl::StatusOr<TensorFile> ReadTensors(const DataFolder& data, const std::string& path) {
  ASSIGN_OR_RETURN(std::string bytes, data.Read(path));
  return TensorFile::Parse(std::move(bytes));
}

absl::StatusOr<Picture> ReadPicture(const DataFolder& data, const std::string& name) {
  ASSIGN_OR_RETURN(const std::string bytes, data.Read(absl::StrCat("model_images/", name, ".png")));
  ASSIGN_OR_RETURN(const media::RgbImage image, media::DecodeImage(bytes));
  const media::PatchGrid grid;
  ASSIGN_OR_RETURN(const media::ImagePlacement place,
                   media::PlaceImage(image.height, image.width, grid));
  Picture picture = {{}, place.grid_h, place.grid_w};
  picture.patches = media::MakePatches(media::ResizeBicubic(image, place.resized), grid, {});
  return picture;
}

// The pictures that a model's golden file has stages of.
std::set<std::string> PictureNames(const DataFolder& data) {
  std::set<std::string> names;
  for (char letter = 'A'; letter <= 'Z'; ++letter) {
    if (data.Has(absl::StrCat("model_images/", std::string(1, letter), ".png"))) {
      names.insert(std::string(1, letter));
    }
  }
  return names;
}

absl::Status JudgePixels(const TensorFile& pixels, const std::string& name,
                         const Picture& picture) {
  const TensorFile::Tensor* want = pixels.Find(absl::StrCat(name, ".pixel_values"));
  if (want == nullptr || want->type != "F32") {
    return absl::InvalidArgumentError("pixel_values are not recorded");
  }
  return Close("pixel_values", want->As<float>(), picture.patches, kPixelTolerance);
}

// The rows of `all` that are recorded: those listed, or all. Merged stages have a row per image
// token.
absl::StatusOr<std::vector<float>> RecordedRows(backend::ConstRows all,
                                                const TensorFile::Tensor* listed, bool merged) {
  if (listed == nullptr) return std::vector<float>(all.data, all.row(all.rows));
  if (listed->type != "I32") return absl::InvalidArgumentError("rows are no I32");
  std::vector<int32_t> rows = listed->As<int32_t>();
  if (merged) {
    std::set<int32_t> tokens;
    for (const int32_t row : rows) tokens.insert(row / static_cast<int32_t>(kMergedPatches));
    rows.assign(tokens.begin(), tokens.end());
  }
  std::vector<float> recorded;
  for (const int32_t row : rows) {
    if (row < 0 || row >= all.rows) {
      return absl::InvalidArgumentError(absl::StrCat("row ", row, " does not exist"));
    }
    recorded.insert(recorded.end(), all.row(row), all.row(row + 1));
  }
  return recorded;
}

std::vector<std::string> StageNames(int depth) {
  std::vector<std::string> stages = {"patch_embed", "post_conv_norm", "pos_added"};
  for (int i = 0; i < depth; ++i) stages.push_back(absl::StrCat("block", i));
  stages.insert(stages.end(), {"post_norm", "downsample", "merger"});
  return stages;
}

void JudgeStages(const std::string& name, const Picture& picture, Subject* subject,
                 Report* report) {
  const std::string prefix = absl::StrCat("vision.", name, ".");
  const TensorFile::Tensor* listed = subject->golden.Find(prefix + "rows");
  const auto encoding =
      subject->model->NewVisionEncoding(picture.patches, picture.grid_h, picture.grid_w);
  for (const std::string& stage : StageNames(subject->config.vision.depth)) {
    encoding->Step();
    const std::string title = absl::StrCat(subject->name, " ", name, " ", stage);
    const TensorFile::Tensor* want = subject->golden.Find(prefix + stage);
    if (want == nullptr || want->type != "F32") {
      report->Fail(title, "is not recorded");
      continue;
    }
    const std::vector<float> values = want->As<float>();
    double largest = 1;
    for (const float value : values) largest = std::max(largest, std::abs(double{value}));
    const bool merged = stage == "downsample" || stage == "merger";
    const absl::StatusOr<std::vector<float>> got = RecordedRows(encoding->state(), listed, merged);
    report->Judge(title,
                  got.ok() ? Close(stage, values, *got, kStageTolerance * largest) : got.status());
  }
}

// A case's images: runs of placeholders, as long as their grids say.
absl::StatusOr<std::vector<PromptImage>> ImagesOf(const JsonRow& row,
                                                  const std::vector<int32_t>& ids,
                                                  Subject* subject) {
  ASSIGN_OR_RETURN(const Json* names, row.Find("images"));
  if (!names->is_array()) return absl::InvalidArgumentError("images is no list");
  std::vector<PromptImage> images;
  size_t from = 0;
  for (const Json& name : names->as_array()) {
    const auto found = name.is_string()
                           ? subject->pictures.find(std::string(ToAbsl(name.as_string())))
                           : subject->pictures.end();
    if (found == subject->pictures.end()) return absl::InvalidArgumentError("no such picture");
    const Picture& picture = found->second;
    while (from < ids.size() && ids[from] != subject->config.image_token_id) ++from;
    images.push_back(
        {{static_cast<int32_t>(from), picture.grid_h, picture.grid_w},
         EncodeWhole(subject->model.get(), picture.patches, picture.grid_h, picture.grid_w)});
    from += static_cast<size_t>(int64_t{picture.grid_h} * picture.grid_w / kMergedPatches);
  }
  return images;
}

absl::Status JudgePositions(const JsonRow& row, const std::string& name, const Subject& subject,
                            const model::PositionPlan& plan) {
  ASSIGN_OR_RETURN(const int64_t delta, row.Int("rope_delta"));
  if (delta != plan.delta) {
    return absl::DataLossError(absl::StrCat("rope_delta: want ", delta, ", got ", plan.delta));
  }
  const TensorFile::Tensor* tensor = subject.golden.Find(absl::StrCat(name, ".position_ids"));
  if (tensor == nullptr || tensor->type != "I32") {
    return absl::InvalidArgumentError("position_ids are not recorded");
  }
  std::vector<int32_t> got;
  for (size_t axis = 0; axis < 3; ++axis) {
    for (const model::Position& position : plan.prompt) got.push_back(position[axis]);
  }
  if (got != tensor->As<int32_t>()) return absl::DataLossError("position_ids differ");
  return absl::OkStatus();
}

absl::Status JudgeGreedy(const JsonRow& row, SequenceRun* run, std::vector<float> logits,
                         double logit_error) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> greedy, row.Ints("greedy"));
  ASSIGN_OR_RETURN(const std::vector<double> margins, row.Numbers("margins"));
  if (margins.size() != greedy.size() || greedy.empty() || greedy.size() > kMaxGreedy) {
    return absl::InvalidArgumentError("margins does not go with greedy");
  }
  for (size_t i = 0; i < greedy.size(); ++i) {
    if (margins[i] <= kDecidedErrors * logit_error) break;
    if (BestOf(logits) != greedy[i]) {
      return absl::DataLossError(
          absl::StrCat("step ", i, ": chose ", BestOf(logits), " instead of ", greedy[i]));
    }
    logits = run->Next(static_cast<int32_t>(greedy[i]));
  }
  return absl::OkStatus();
}

absl::Status JudgeCase(const JsonRow& row, const std::string& name, Subject* subject,
                       Report* report) {
  const std::string title = absl::StrCat(subject->name, "/", name);
  ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, row.Ints("input_ids"));
  ASSIGN_OR_RETURN(const int64_t first, row.Int("first_logit_position"));
  const TensorFile::Tensor* want = subject->golden.Find(absl::StrCat(name, ".logits"));
  if (want == nullptr || want->type != "F32") {
    return absl::InvalidArgumentError("logits are not recorded");
  }
  RETURN_IF_ERROR(CheckIds(numbers, subject->model->shape()));
  if (first < 0 || first >= static_cast<int64_t>(numbers.size())) {
    return absl::InvalidArgumentError("first_logit_position is outside of the prompt");
  }
  const std::vector<int32_t> ids = AsIds(numbers);
  ASSIGN_OR_RETURN(const std::vector<PromptImage> images, ImagesOf(row, ids, subject));
  const int vocab = subject->model->shape().vocab_size;
  ASSIGN_OR_RETURN(SequenceRun run, SequenceRun::Create(subject->model.get(),
                                                        static_cast<int>(ids.size() + kMaxGreedy)));
  ASSIGN_OR_RETURN(
      const std::vector<float> logits,
      run.Prompt(ids, images, static_cast<int>(static_cast<int64_t>(ids.size()) - first)));
  report->Judge(title + " positions", JudgePositions(row, name, *subject, run.positions()));
  const std::vector<float> wanted = want->As<float>();
  const absl::Status close = Close("logits", wanted, logits, kLogitTolerance);
  report->Judge(title + " logits", close);
  if (!close.ok()) return absl::OkStatus();
  // The file rounds margins to five places.
  const double error = std::max(1e-5, LargestDifference(wanted, logits));
  report->Judge(title + " greedy",
                JudgeGreedy(row, &run, {logits.end() - vocab, logits.end()}, error));
  return absl::OkStatus();
}

absl::Status JudgeModel(const DataFolder& data, const std::string& folder, const TensorFile& pixels,
                        Report* report) {
  ASSIGN_OR_RETURN(const std::string path, data.Find(absl::StrCat(folder, "/config.json")));
  const std::string dir = std::filesystem::path(path).parent_path().string();
  ASSIGN_OR_RETURN(const JsonObject json, model::ReadConfig(dir));
  ASSIGN_OR_RETURN(const model::Glm4vConfig config, model::ParseGlm4vConfig(json));
  ASSIGN_OR_RETURN(std::unique_ptr<model::Glm4vModel> model, LoadForJudging(dir));
  ASSIGN_OR_RETURN(TensorFile golden, ReadTensors(data, folder + "/golden.safetensors"));
  Subject subject = {folder, std::move(model), config, std::move(golden), {}};
  for (const std::string& name : PictureNames(data)) {
    ASSIGN_OR_RETURN(Picture picture, ReadPicture(data, name));
    // Of a large picture only some rows of the stages are recorded, and no pixel values.
    if (subject.golden.Find(absl::StrCat("vision.", name, ".rows")) == nullptr) {
      report->Judge(absl::StrCat(folder, " ", name, " pixel_values"),
                    JudgePixels(pixels, name, picture));
    }
    JudgeStages(name, picture, &subject, report);
    subject.pictures.emplace(name, std::move(picture));
  }
  ASSIGN_OR_RETURN(const std::vector<Json> rows, data.ReadJsonLines(folder + "/golden.jsonl"));
  for (const Json& value : rows) {
    const JsonRow row(value.get_object());
    ASSIGN_OR_RETURN(const std::string name, row.Text("case"));
    ASSIGN_OR_RETURN(const int64_t frames, row.Int("video_frames"));
    if (frames > 0) {
      report->Skip(absl::StrCat(folder, "/", name), "video is not supported yet");
    } else if (absl::Status status = JudgeCase(row, name, &subject, report); !status.ok()) {
      report->Fail(absl::StrCat(folder, "/", name), status.message());
    }
  }
  return absl::OkStatus();
}

}  // namespace

void JudgeVisionModels(const DataFolder& data, Report* report) {
  const std::vector<std::string> folders = data.Folders("models");
  if (folders.empty()) return;
  const absl::StatusOr<TensorFile> pixels =
      ReadTensors(data, "model_images/pixel_values.safetensors");
  if (!pixels.ok()) return report->Fail("model_images", pixels.status().message());
  for (const std::string& name : folders) {
    const std::string folder = absl::StrCat("models/", name);
    if (absl::Status status = JudgeModel(data, folder, *pixels, report); !status.ok()) {
      report->Fail(folder, status.message());
    }
  }
}

}  // namespace switchboard::golden
