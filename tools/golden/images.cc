#include "tools/golden/images.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/digest.h"
#include "base/status_macros.h"
#include "media/decode.h"
#include "media/image_info.h"
#include "media/patches.h"
#include "media/resize.h"
#include "media/smart_resize.h"
#include "tools/golden/json_row.h"
#include "tools/golden/tensor_file.h"

namespace switchboard::golden {
namespace {

using media::ImagePlacement;
using media::PatchGrid;
using media::ResizeRounding;
using media::RgbImage;

constexpr double kPixelTolerance = 1e-6;
// The reference sums means in float.
constexpr double kMeanTolerance = 2e-5;
// The file rounds the share to six places.
constexpr double kShareTolerance = 6e-7;

struct Expected {
  TensorFile decoded, processed;
};

absl::Status Wrong(absl::string_view what, const std::string& want, const std::string& got) {
  return absl::DataLossError(absl::StrCat(what, ": want ", want, ", got ", got));
}

absl::Status Same(absl::string_view what, int64_t want, int64_t got) {
  return want == got ? absl::OkStatus() : Wrong(what, absl::StrCat(want), absl::StrCat(got));
}

absl::Status Same(absl::string_view what, const std::vector<int64_t>& want,
                  const std::vector<int64_t>& got) {
  if (want == got) return absl::OkStatus();
  return Wrong(what, absl::StrJoin(want, "x"), absl::StrJoin(got, "x"));
}

absl::Status Near(absl::string_view what, double want, double got, double tolerance) {
  if (std::abs(want - got) <= tolerance) return absl::OkStatus();
  return Wrong(what, absl::StrCat(want), absl::StrCat(got));
}

absl::string_view AsBytes(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

absl::Status SameDigest(absl::string_view what, const std::string& want, const RgbImage& image) {
  const std::string got = ToHex(Sha256Of(AsBytes(image.pixels)));
  return want == got ? absl::OkStatus() : Wrong(what, want, got);
}

absl::Status SameBytes(absl::string_view what, const TensorFile::Tensor& want,
                       const std::vector<int64_t>& shape, absl::string_view got) {
  RETURN_IF_ERROR(Same(absl::StrCat(what, " shape"), want.shape, shape));
  if (want.type != "U8" || want.bytes.size() != got.size()) {
    return absl::DataLossError(absl::StrCat(what, ": the tensor does not hold bytes"));
  }
  const auto [w, g] = std::mismatch(want.bytes.begin(), want.bytes.end(), got.begin());
  if (w == want.bytes.end()) return absl::OkStatus();
  return Wrong(absl::StrCat(what, " byte ", w - want.bytes.begin()),
               absl::StrCat(static_cast<uint8_t>(*w)), absl::StrCat(static_cast<uint8_t>(*g)));
}

absl::Status SameImage(absl::string_view what, const TensorFile::Tensor& want,
                       const RgbImage& image) {
  return SameBytes(what, want, {image.height, image.width, 3}, AsBytes(image.pixels));
}

// The name of a format that is not decoded, else empty. Damaged files have no format in their row.
std::string FormatNotDecoded(absl::string_view file) {
  if (absl::EndsWith(file, ".webp")) return "WebP";
  if (absl::EndsWith(file, ".gif")) return "GIF";
  if (absl::EndsWith(file, ".bmp")) return "BMP";
  return "";
}

absl::Status JudgeHeader(const JsonRow& row, absl::string_view bytes) {
  ASSIGN_OR_RETURN(const int64_t size, row.Int("bytes"));
  RETURN_IF_ERROR(Same("bytes", size, static_cast<int64_t>(bytes.size())));
  ASSIGN_OR_RETURN(const std::string format, row.Text("format"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> stored, row.Ints("stored_wh"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> upright, row.Ints("wh"));
  ASSIGN_OR_RETURN(const media::ImageInfo info, media::ReadImageInfo(bytes));
  const std::string got = info.format == media::ImageFormat::kPng ? "PNG" : "JPEG";
  if (format != got) return Wrong("format", format, got);
  RETURN_IF_ERROR(Same("stored_wh", stored, {info.stored_width, info.stored_height}));
  return Same("wh", upright, {info.width, info.height});
}

// Large pictures are sampled: positions in NAME.yx, colours in NAME.samples.
absl::Status JudgeSamples(const TensorFile& decoded, const std::string& name,
                          const RgbImage& image) {
  const TensorFile::Tensor* places = decoded.Find(name + ".yx");
  const TensorFile::Tensor* colours = decoded.Find(name + ".samples");
  if (places == nullptr || colours == nullptr) {
    return absl::NotFoundError("decoded.safetensors lacks the pixels");
  }
  std::vector<uint8_t> got;
  const std::vector<int32_t> yx = places->As<int32_t>();
  for (size_t i = 0; i + 1 < yx.size(); i += 2) {
    if (yx[i] < 0 || yx[i] >= image.height || yx[i + 1] < 0 || yx[i + 1] >= image.width) {
      return absl::OutOfRangeError("a sampled place lies outside the picture");
    }
    const uint8_t* pixel = image.row(yx[i]) + size_t{3} * yx[i + 1];
    got.insert(got.end(), pixel, pixel + 3);
  }
  return SameBytes("samples", *colours, {static_cast<int64_t>(yx.size() / 2), 3}, AsBytes(got));
}

absl::Status JudgeDecoded(const JsonRow& row, const Expected& expected, const std::string& name,
                          const RgbImage& image) {
  ASSIGN_OR_RETURN(const std::string digest, row.Text("rgb_sha256"));
  RETURN_IF_ERROR(SameDigest("rgb_sha256", digest, image));
  const TensorFile::Tensor* whole = expected.decoded.Find(name);
  return whole != nullptr ? SameImage("pixels", *whole, image)
                          : JudgeSamples(expected.decoded, name, image);
}

absl::Status SamePlace(const JsonRow& row, const ImagePlacement& place) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> grid, row.Ints("grid_thw"));
  ASSIGN_OR_RETURN(const int64_t tokens, row.Int("tokens"));
  RETURN_IF_ERROR(Same("grid_thw", grid, {1, place.grid_h, place.grid_w}));
  return Same("tokens", tokens, place.tokens);
}

absl::Status JudgePlacement(const JsonRow& row, const RgbImage& image,
                            const ImagePlacement& place) {
  RETURN_IF_ERROR(SamePlace(row, place));
  ASSIGN_OR_RETURN(const std::vector<int64_t> resized, row.Ints("resized_hw"));
  RETURN_IF_ERROR(Same("resized_hw", resized, {place.resized.height, place.resized.width}));
  if (!row.Has("other_limits")) return absl::OkStatus();
  ASSIGN_OR_RETURN(const JsonRow limits, row.Row("other_limits"));
  for (const auto& [limit, unused] : limits.object()) {
    PatchGrid grid;
    grid.max_pixels = std::atoll(std::string(limit).c_str());
    ASSIGN_OR_RETURN(const ImagePlacement other,
                     media::PlaceImage(image.height, image.width, grid));
    ASSIGN_OR_RETURN(const JsonRow want, limits.Row(ToAbsl(limit)));
    RETURN_IF_ERROR(Annotate(SamePlace(want, other), absl::StrCat("max_pixels ", grid.max_pixels)));
  }
  return absl::OkStatus();
}

absl::Status NearValues(absl::string_view what, const TensorFile::Tensor& want,
                        const std::vector<int64_t>& shape, const std::vector<float>& got) {
  RETURN_IF_ERROR(Same(absl::StrCat(what, " shape"), want.shape, shape));
  const std::vector<float> values = want.As<float>();
  if (want.type != "F32" || values.size() != got.size()) {
    return absl::DataLossError(absl::StrCat(what, ": the tensor does not hold floats"));
  }
  for (size_t i = 0; i < got.size(); ++i) {
    RETURN_IF_ERROR(Near(absl::StrCat(what, " value ", i), values[i], got[i], kPixelTolerance));
  }
  return absl::OkStatus();
}

// The patch rows that the file has of a picture: all, or those listed in NAME.rows.
absl::StatusOr<std::vector<int32_t>> ListedRows(const TensorFile& processed,
                                                const std::string& name, int rows) {
  std::vector<int32_t> listed;
  if (const TensorFile::Tensor* tensor = processed.Find(name + ".rows"); tensor != nullptr) {
    listed = tensor->As<int32_t>();
  } else {
    for (int r = 0; r < rows; ++r) listed.push_back(r);
  }
  for (const int32_t r : listed) {
    if (r < 0 || r >= rows) return absl::OutOfRangeError("a listed row lies outside the picture");
  }
  return listed;
}

// A row of patches back to the samples of its patch, [3, 14, 14] of `resized`.
void AppendPatchSamples(const RgbImage& resized, const PatchGrid& grid, int row,
                        std::vector<uint8_t>* out) {
  const int tokens_per_row = resized.width / (grid.patch_size * grid.merge_size);
  const int token = row / 4, dy = row % 4 / 2, dx = row % 2;
  const int y0 = (token / tokens_per_row * 2 + dy) * grid.patch_size;
  const int x0 = (token % tokens_per_row * 2 + dx) * grid.patch_size;
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < grid.patch_size; ++y) {
      for (int x = 0; x < grid.patch_size; ++x) {
        out->push_back(resized.row(y0 + y)[3 * (x0 + x) + c]);
      }
    }
  }
}

absl::Status JudgeResized(const JsonRow& row, const Expected& expected, const std::string& name,
                          const std::string& variant, const RgbImage& resized) {
  ASSIGN_OR_RETURN(const JsonRow digests, row.Row("resized_sha256"));
  ASSIGN_OR_RETURN(const std::string digest, digests.Text(variant));
  RETURN_IF_ERROR(SameDigest("resized_sha256", digest, resized));

  const PatchGrid grid;
  const int rows = (resized.height / grid.patch_size) * (resized.width / grid.patch_size);
  ASSIGN_OR_RETURN(const std::vector<int32_t> listed, ListedRows(expected.processed, name, rows));
  const TensorFile::Tensor* picture = expected.processed.Find(name + ".resized." + variant);
  // The fast pixels are left out where they are Pillow's.
  if (picture == nullptr) picture = expected.processed.Find(name + ".resized.pil");
  if (picture != nullptr) return SameImage("resized pixels", *picture, resized);
  const TensorFile::Tensor* samples = expected.processed.Find(name + ".row_pixels." + variant);
  if (samples == nullptr) return absl::NotFoundError("processed.safetensors lacks the pixels");
  std::vector<uint8_t> got;
  for (const int32_t r : listed) AppendPatchSamples(resized, grid, r, &got);
  return SameBytes("patch pixels", *samples, {static_cast<int64_t>(listed.size()), 3, 14, 14},
                   AsBytes(got));
}

absl::Status JudgePatches(const JsonRow& row, const Expected& expected, const std::string& name,
                          const std::string& variant, const RgbImage& resized) {
  const PatchGrid grid;
  const std::vector<float> patches = media::MakePatches(resized, grid, {});
  if (variant == "pil") {  // the statistics are those of Pillow's pixels
    double sum = 0, squares = 0;
    for (const float v : patches) sum += v;
    const double mean = sum / static_cast<double>(patches.size());
    for (const float v : patches) squares += (v - mean) * (v - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(patches.size()));
    ASSIGN_OR_RETURN(const double want_mean, row.Number("pixel_mean"));
    ASSIGN_OR_RETURN(const double want_deviation, row.Number("pixel_std"));
    RETURN_IF_ERROR(Near("pixel_mean", want_mean, mean, kMeanTolerance));
    RETURN_IF_ERROR(Near("pixel_std", want_deviation, deviation, kMeanTolerance));
  }
  const TensorFile::Tensor* values = expected.processed.Find(name + ".pixel_values." + variant);
  if (values == nullptr) return absl::OkStatus();  // kept for a few pictures only
  const size_t width = media::PatchWidth(grid);
  ASSIGN_OR_RETURN(const std::vector<int32_t> listed,
                   ListedRows(expected.processed, name, static_cast<int>(patches.size() / width)));
  std::vector<float> got;
  for (const int32_t r : listed) {
    got.insert(got.end(), patches.begin() + r * width, patches.begin() + (r + 1) * width);
  }
  return NearValues("pixel_values", *values,
                    {static_cast<int64_t>(listed.size()), static_cast<int64_t>(width)}, got);
}

absl::Status JudgeVariants(const JsonRow& row, const RgbImage& pil, const RgbImage& fast) {
  ASSIGN_OR_RETURN(const JsonRow want, row.Row("pil_vs_fast"));
  ASSIGN_OR_RETURN(const int64_t want_levels, want.Int("max_levels"));
  ASSIGN_OR_RETURN(const double want_share, want.Number("share_differing"));
  int levels = 0;
  int64_t differing = 0;
  for (size_t i = 0; i < pil.pixels.size(); ++i) {
    const int difference = std::abs(pil.pixels[i] - fast.pixels[i]);
    levels = std::max(levels, difference);
    differing += difference > 0 ? 1 : 0;
  }
  const double share = static_cast<double>(differing) / static_cast<double>(pil.pixels.size());
  RETURN_IF_ERROR(Same("max_levels", want_levels, levels));
  return Near("share_differing", want_share, share, kShareTolerance);
}

absl::Status Refused(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kInvalidArgument) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("want a refusal, got ", status.ToString()));
}

// A row that must be refused: at decoding, or when the size is chosen.
void JudgeRefusal(const JsonRow& row, const Expected& expected, const std::string& file,
                  absl::string_view bytes, Report* report) {
  const absl::StatusOr<std::string> stage = row.Text("stage");
  if (!stage.ok() || (*stage != "decode" && *stage != "resize")) {
    report->Fail(file, "the row names no stage of the refusal");
    return;
  }
  const absl::StatusOr<RgbImage> image = media::DecodeImage(bytes);
  if (*stage == "decode") {
    report->Judge(file + " refusal", Refused(image.status()));
    return;
  }
  report->Judge(file + " decoding", image.status());
  if (!image.ok()) return;
  const std::string name(absl::StripPrefix(file, "images/"));
  report->Judge(file + " header", JudgeHeader(row, bytes));
  report->Judge(file + " pixels", JudgeDecoded(row, expected, name, *image));
  report->Judge(file + " refusal",
                Refused(media::PlaceImage(image->height, image->width, PatchGrid()).status()));
}

void JudgeAccepted(const JsonRow& row, const Expected& expected, const std::string& file,
                   absl::string_view bytes, Report* report) {
  const std::string name(absl::StripPrefix(file, "images/"));
  report->Judge(file + " header", JudgeHeader(row, bytes));
  const absl::StatusOr<RgbImage> image = media::DecodeImage(bytes);
  report->Judge(file + " decoding", image.status());
  if (!image.ok()) return;
  report->Judge(file + " pixels", JudgeDecoded(row, expected, name, *image));
  const absl::StatusOr<ImagePlacement> place =
      media::PlaceImage(image->height, image->width, PatchGrid());
  report->Judge(file + " size", place.status());
  if (!place.ok()) return;
  report->Judge(file + " placement", JudgePlacement(row, *image, *place));
  const RgbImage fast = media::ResizeBicubic(*image, place->resized, ResizeRounding::kFast);
  const RgbImage pil = media::ResizeBicubic(*image, place->resized, ResizeRounding::kPillow);
  report->Judge(file + " resized", JudgeResized(row, expected, name, "fast", fast));
  report->Judge(file + " resized as Pillow", JudgeResized(row, expected, name, "pil", pil));
  report->Judge(file + " variants", JudgeVariants(row, pil, fast));
  report->Judge(file + " patches", JudgePatches(row, expected, name, "fast", fast));
  report->Judge(file + " patches as Pillow", JudgePatches(row, expected, name, "pil", pil));
}

absl::Status JudgeSmartResize(const JsonRow& row) {
  PatchGrid grid;
  ASSIGN_OR_RETURN(const int64_t height, row.Int("h"));
  ASSIGN_OR_RETURN(const int64_t width, row.Int("w"));
  ASSIGN_OR_RETURN(const int64_t frames, row.Int("frames"));
  ASSIGN_OR_RETURN(grid.min_pixels, row.Int("min_pixels"));
  ASSIGN_OR_RETURN(grid.max_pixels, row.Int("max_pixels"));
  const absl::StatusOr<media::Size> size =
      media::SmartResize(height, width, static_cast<int>(frames), grid);
  if (row.Has("error")) return Refused(size.status());
  RETURN_IF_ERROR(size.status());
  ASSIGN_OR_RETURN(const int64_t out_height, row.Int("out_h"));
  ASSIGN_OR_RETURN(const int64_t out_width, row.Int("out_w"));
  RETURN_IF_ERROR(Same("size", {out_height, out_width}, {size->height, size->width}));
  if (!row.Has("tokens")) return absl::OkStatus();  // a video's row
  ASSIGN_OR_RETURN(const ImagePlacement place, media::PlaceImage(height, width, grid));
  ASSIGN_OR_RETURN(const int64_t tokens, row.Int("tokens"));
  return Same("tokens", tokens, place.tokens);
}

absl::StatusOr<std::vector<Json>> ReadRows(const DataFolder& data, absl::string_view file) {
  ASSIGN_OR_RETURN(std::vector<Json> rows, data.ReadJsonLines(file));
  if (rows.empty()) return absl::NotFoundError(absl::StrCat(file, " has no rows"));
  return rows;
}

absl::StatusOr<Expected> ReadExpected(const DataFolder& data) {
  ASSIGN_OR_RETURN(std::string decoded_bytes, data.Read("decoded.safetensors"));
  ASSIGN_OR_RETURN(std::string processed_bytes, data.Read("processed.safetensors"));
  ASSIGN_OR_RETURN(TensorFile decoded, TensorFile::Parse(std::move(decoded_bytes)));
  ASSIGN_OR_RETURN(TensorFile processed, TensorFile::Parse(std::move(processed_bytes)));
  return Expected{std::move(decoded), std::move(processed)};
}

void JudgeImageRow(const DataFolder& data, const JsonRow& row, const Expected& expected,
                   Report* report) {
  const absl::StatusOr<std::string> file = row.Text("file");
  const absl::StatusOr<bool> ok = row.Bool("ok");
  if (!file.ok() || !ok.ok()) {
    report->Fail("images.jsonl", "a row lacks file or ok");
    return;
  }
  if (const std::string format = FormatNotDecoded(*file); !format.empty()) {
    report->Skip(*file, format + " is not supported yet");
    return;
  }
  const absl::StatusOr<std::string> bytes = data.Read(*file);
  if (!bytes.ok()) {
    report->Fail(*file, bytes.status().message());
  } else if (*ok) {
    JudgeAccepted(row, expected, *file, *bytes, report);
  } else {
    JudgeRefusal(row, expected, *file, *bytes, report);
  }
}

}  // namespace

void JudgeImages(const DataFolder& data, Report* report) {
  const absl::StatusOr<std::vector<Json>> images = ReadRows(data, "images.jsonl");
  const absl::StatusOr<Expected> expected = ReadExpected(data);
  report->Judge("images.jsonl", images.status());
  report->Judge("expected pixels", expected.status());
  if (images.ok() && expected.ok()) {
    for (const Json& row : *images) {
      JudgeImageRow(data, JsonRow(row.get_object()), *expected, report);
    }
  }
  const absl::StatusOr<std::vector<Json>> sizes = ReadRows(data, "smart_resize.jsonl");
  report->Judge("smart_resize.jsonl", sizes.status());
  if (!sizes.ok()) return;
  for (size_t i = 0; i < sizes->size(); ++i) {
    report->Judge(absl::StrCat("smart_resize row ", i + 1),
                  JudgeSmartResize(JsonRow((*sizes)[i].get_object())));
  }
}

}  // namespace switchboard::golden
