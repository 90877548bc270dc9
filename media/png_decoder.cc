// The only file that knows libpng. Its errors are long jumps: they start inside the library and end
// in PngFile::Run, so no object with a destructor may live in between.
#include <png.h>

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "media/decoders.h"

namespace switchboard::media {
namespace {

// Deflate makes at most 258 bytes of two bits.
constexpr uint64_t kMaxInflation = 1032;

// A file being read by libpng.
class PngFile {
 public:
  explicit PngFile(absl::string_view bytes) : rest_(bytes) {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &PngFile::OnError, &IgnoreWarning);
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngFile() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngFile(const PngFile&) = delete;
  PngFile& operator=(const PngFile&) = delete;

  bool ready() const { return info_ != nullptr; }
  png_structp png() const { return png_; }
  png_infop info() const { return info_; }

  // Runs `step`, which may call libpng and must not create objects with destructors.
  // Never inlined: a long jump may spoil the registers of the frame that called setjmp.
  // InvalidArgument when libpng gives up.
  template <typename Step>
  ABSL_ATTRIBUTE_NOINLINE absl::Status Run(const Step& step) {
    if (setjmp(failed_) != 0) {
      return absl::InvalidArgumentError(absl::StrCat("invalid image: PNG: ", message_));
    }
    step();
    return absl::OkStatus();
  }

  static void OnRead(png_structp png, png_bytep out, size_t count) {
    auto* file = static_cast<PngFile*>(png_get_io_ptr(png));
    if (count > file->rest_.size()) png_error(png, "the file is cut off");
    std::memcpy(out, file->rest_.data(), count);
    file->rest_.remove_prefix(count);
  }

 private:
  [[noreturn]] static void OnError(png_structp png, png_const_charp message) {
    auto* file = static_cast<PngFile*>(png_get_error_ptr(png));
    std::snprintf(file->message_, sizeof(file->message_), "%s", message);
    std::longjmp(file->failed_, 1);
  }
  // What libpng warns of (odd profiles, text, times) does not touch the pixels.
  static void IgnoreWarning(png_structp, png_const_charp) {}

  absl::string_view rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf failed_;
  char message_[128] = {};
};

// Reads up to the pixels and asks for 8-bit RGB, or RGBA if anything may be transparent.
void ReadHead(PngFile* file) {
  png_structp png = file->png();
  png_set_read_fn(png, file, &PngFile::OnRead);
  // Profiles, texts and times are not even unpacked.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(png, file->info());
}

void AskForRgb(PngFile* file) {
  png_structp png = file->png();
  png_set_expand(png);  // palette and tRNS to colours and alpha, gray to 8 bits
  png_set_strip_16(png);
  png_set_gray_to_rgb(png);
}

// Lays RGBA over white, in place: pixel i moves to a lower address or stays, so nothing unread is
// overwritten.
void FlattenOnWhite(std::vector<uint8_t>* pixels) {
  const size_t count = pixels->size() / 4;
  const uint8_t* in = pixels->data();
  uint8_t* out = pixels->data();
  for (size_t i = 0; i < count; ++i, in += 4, out += 3) {
    const uint32_t alpha = in[3], white = 255 * (255 - alpha) + 128;
    for (int c = 0; c < 3; ++c) {
      const uint32_t v = in[c] * alpha + white;
      out[c] = static_cast<uint8_t>((v + (v >> 8)) >> 8);
    }
  }
  pixels->resize(count * 3);
}

}  // namespace

absl::StatusOr<RgbImage> DecodePng(absl::string_view bytes, const ImageInfo& info) {
  PngFile file(bytes);
  if (!file.ready()) return absl::ResourceExhaustedError("no memory for a PNG decoder");
  RETURN_IF_ERROR(file.Run([&] { ReadHead(&file); }));
  const uint32_t height = png_get_image_height(file.png(), file.info());
  if (png_get_image_width(file.png(), file.info()) != static_cast<uint32_t>(info.stored_width) ||
      height != static_cast<uint32_t>(info.stored_height)) {
    return absl::InvalidArgumentError("invalid image: the PNG file declares two sizes");
  }
  const uint64_t filtered_bytes = uint64_t{png_get_rowbytes(file.png(), file.info())} * height;
  if (filtered_bytes > bytes.size() * kMaxInflation) {
    return absl::InvalidArgumentError(absl::StrCat("invalid image: PNG: a file of ", bytes.size(),
                                                   " bytes cannot hold ", info.stored_width, " x ",
                                                   height, " pixels"));
  }

  int passes = 1;
  RETURN_IF_ERROR(file.Run([&] {
    AskForRgb(&file);
    passes = png_set_interlace_handling(file.png());
    png_read_update_info(file.png(), file.info());
  }));
  const size_t row_bytes = png_get_rowbytes(file.png(), file.info());
  const int channels = png_get_channels(file.png(), file.info());

  RgbImage image;
  image.width = info.stored_width;
  image.height = info.stored_height;
  // Reserved memory is not touched yet: it becomes real as the rows arrive (interlaced rows are
  // spread over the whole picture and need all of it at once).
  image.pixels.reserve(row_bytes * height);
  if (passes > 1) image.pixels.resize(row_bytes * height);
  RETURN_IF_ERROR(file.Run([&] {
    for (int pass = 0; pass < passes; ++pass) {
      for (size_t y = 0; y < height; ++y) {
        if (passes == 1) image.pixels.resize((y + 1) * row_bytes);
        png_read_row(file.png(), image.pixels.data() + y * row_bytes, nullptr);
      }
    }
  }));
  if (channels == 4) FlattenOnWhite(&image.pixels);
  return image;
}

}  // namespace switchboard::media
