#include "media/image_info.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "media/exif.h"
#include "media/image_header.h"

namespace switchboard::media {
namespace {

constexpr absl::string_view kPngSignature = "\x89PNG\r\n\x1a\n";
constexpr absl::string_view kJpegSignature = "\xFF\xD8";

// The name of a format that is recognised but not decoded; empty when the bytes say nothing.
absl::string_view NameOfOtherFormat(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP") {
    return "WebP";
  }
  if (absl::StartsWith(bytes, "GIF87a") || absl::StartsWith(bytes, "GIF89a")) return "GIF";
  if (absl::StartsWith(bytes, "BM")) return "BMP";
  return {};
}

absl::StatusOr<ImageFormat> SniffFormat(absl::string_view bytes) {
  if (bytes.empty()) return absl::InvalidArgumentError("invalid image: it has no bytes");
  if (absl::StartsWith(bytes, kPngSignature)) return ImageFormat::kPng;
  if (absl::StartsWith(bytes, kJpegSignature)) return ImageFormat::kJpeg;
  const absl::string_view name = NameOfOtherFormat(bytes);
  return absl::InvalidArgumentError(absl::StrCat(
      "unsupported image format", name.empty() ? "" : " ", name, "; send PNG or JPEG"));
}

absl::Status CheckSize(const ImageHeader& header) {
  const int64_t width = header.width, height = header.height;
  const std::string size = absl::StrCat("invalid image: ", width, " x ", height, " pixels");
  if (width == 0 || height == 0) return absl::InvalidArgumentError(absl::StrCat(size, " is empty"));
  if (width > kMaxImageSide || height > kMaxImageSide) {
    return absl::InvalidArgumentError(
        absl::StrCat(size, "; a side may have at most ", kMaxImageSide));
  }
  if (width * height > kMaxImagePixels) {
    return absl::InvalidArgumentError(absl::StrCat(size, " are ", width * height, "; at most ",
                                                   kMaxImagePixels, " are accepted"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ImageInfo> ReadImageInfo(absl::string_view bytes) {
  ImageInfo info;
  ASSIGN_OR_RETURN(info.format, SniffFormat(bytes));
  ASSIGN_OR_RETURN(const ImageHeader header,
                   info.format == ImageFormat::kPng ? ReadPngHeader(bytes) : ReadJpegHeader(bytes));
  RETURN_IF_ERROR(CheckSize(header));
  info.stored_width = static_cast<int>(header.width);
  info.stored_height = static_cast<int>(header.height);
  info.orientation = ReadExifOrientation(header.exif);
  info.width = info.stored_width;
  info.height = info.stored_height;
  if (info.orientation >= 5) std::swap(info.width, info.height);
  return info;
}

}  // namespace switchboard::media
