// The only file that knows libjpeg. Its errors are long jumps: they start inside the library and
// end in JpegFile::Run, so no object with a destructor may live in between.
#include <algorithm>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

// jpeglib.h uses FILE and size_t of the headers above, jerror.h the options of jpeglib.h.
// clang-format off
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include "absl/base/attributes.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "media/decoders.h"

namespace switchboard::media {
namespace {

// For the coefficients of a picture that comes in several scans; libjpeg gives up beyond.
constexpr long kMaxLibraryBytes = 512l << 20;
// Scans times pixels: a progressive file may repeat almost empty scans over a large picture.
constexpr int64_t kMaxScanWork = 2'000'000'000;

// True for warnings that mean: pixels are missing or wrong. Others (stray bytes between segments,
// unknown versions) leave the picture whole.
bool IsDamage(int message_code) {
  switch (message_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
      return true;
    default:
      return false;
  }
}

// A file being read by libjpeg.
class JpegFile {
 public:
  JpegFile() {
    cinfo_.err = jpeg_std_error(&errors_);
    cinfo_.client_data = this;
    errors_.error_exit = &OnError;
    errors_.emit_message = &OnMessage;
    progress_.progress_monitor = &OnProgress;
  }
  ~JpegFile() { jpeg_destroy_decompress(&cinfo_); }
  JpegFile(const JpegFile&) = delete;
  JpegFile& operator=(const JpegFile&) = delete;

  jpeg_decompress_struct* cinfo() { return &cinfo_; }

  // Runs `step`, which may call libjpeg and must not create objects with destructors.
  // Never inlined: a long jump may spoil the registers of the frame that called setjmp.
  // InvalidArgument when libjpeg gives up or the file turns out damaged.
  template <typename Step>
  ABSL_ATTRIBUTE_NOINLINE absl::Status Run(const Step& step) {
    if (setjmp(failed_) != 0) {
      return absl::InvalidArgumentError(absl::StrCat("invalid image: JPEG: ", message_));
    }
    step();
    return absl::OkStatus();
  }

  // REQUIRES: inside Run, before anything else.
  void ReadHead(absl::string_view bytes) {
    jpeg_create_decompress(&cinfo_);
    cinfo_.client_data = this;
    cinfo_.progress = &progress_;
    cinfo_.mem->max_memory_to_use = kMaxLibraryBytes;
    jpeg_mem_src(&cinfo_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&cinfo_, TRUE);
  }

 private:
  static JpegFile* From(j_common_ptr cinfo) { return static_cast<JpegFile*>(cinfo->client_data); }

  [[noreturn]] static void OnError(j_common_ptr cinfo) {
    JpegFile* file = From(cinfo);
    if (cinfo->err->msg_code == JERR_NO_BACKING_STORE) {
      file->Fail("the progressive picture is too large to decode");
    }
    char text[JMSG_LENGTH_MAX] = {};
    cinfo->err->format_message(cinfo, text);
    file->Fail(text);
  }

  static void OnMessage(j_common_ptr cinfo, int level) {
    if (level < 0 && IsDamage(cinfo->err->msg_code)) OnError(cinfo);
  }

  static void OnProgress(j_common_ptr cinfo) {
    JpegFile* file = From(cinfo);
    const int64_t pixels = int64_t{file->cinfo_.image_width} * file->cinfo_.image_height;
    if (file->cinfo_.input_scan_number > kMaxScanWork / pixels) file->Fail("too many scans");
  }

  [[noreturn]] void Fail(const char* message) {
    std::snprintf(message_, sizeof(message_), "%s", message);
    std::longjmp(failed_, 1);
  }

  jpeg_decompress_struct cinfo_ = {};
  jpeg_error_mgr errors_ = {};
  jpeg_progress_mgr progress_ = {};
  std::jmp_buf failed_;
  char message_[JMSG_LENGTH_MAX] = {};
};

// a * b / 255, rounded.
uint32_t Scale(uint32_t a, uint32_t b) {
  const uint32_t t = a * b + 128;
  return (t + (t >> 8)) >> 8;
}

// `in` holds the four inks the way Adobe stores them, 255 = no ink.
void InkToRgb(const uint8_t* in, int width, uint8_t* out) {
  for (int x = 0; x < width; ++x, in += 4, out += 3) {
    const uint32_t light = in[3];
    for (int c = 0; c < 3; ++c) {
      out[c] = static_cast<uint8_t>(light - std::min(light, Scale(255u - in[c], light)));
    }
  }
}

absl::Status ChooseOutput(jpeg_decompress_struct* cinfo) {
  switch (cinfo->num_components) {
    case 1:
    case 3:
      cinfo->out_color_space = JCS_RGB;
      return absl::OkStatus();
    case 4:
      cinfo->out_color_space = JCS_CMYK;
      return absl::OkStatus();
    default:
      return absl::InvalidArgumentError(absl::StrCat("unsupported image: a JPEG file with ",
                                                     cinfo->num_components, " components"));
  }
}

}  // namespace

absl::StatusOr<RgbImage> DecodeJpeg(absl::string_view bytes, const ImageInfo& info) {
  JpegFile file;
  jpeg_decompress_struct* cinfo = file.cinfo();
  RETURN_IF_ERROR(file.Run([&] { file.ReadHead(bytes); }));
  if (cinfo->image_width != static_cast<uint32_t>(info.stored_width) ||
      cinfo->image_height != static_cast<uint32_t>(info.stored_height)) {
    return absl::InvalidArgumentError("invalid image: the JPEG file declares two sizes");
  }
  RETURN_IF_ERROR(ChooseOutput(cinfo));
  RETURN_IF_ERROR(file.Run([&] { jpeg_start_decompress(cinfo); }));

  RgbImage image;
  image.width = info.stored_width;
  image.height = info.stored_height;
  const size_t row_bytes = size_t{3} * image.width;
  const bool inks = cinfo->out_color_space == JCS_CMYK;
  std::vector<uint8_t> ink_row(inks ? size_t{4} * image.width : 0);
  // Reserved memory is not touched yet: it becomes real as the rows arrive.
  image.pixels.reserve(row_bytes * image.height);
  RETURN_IF_ERROR(file.Run([&] {
    for (int y = 0; y < image.height; ++y) {
      image.pixels.resize((y + 1) * row_bytes);
      JSAMPROW row = inks ? ink_row.data() : image.row(y);
      jpeg_read_scanlines(cinfo, &row, 1);
      if (inks) InkToRgb(ink_row.data(), image.width, image.row(y));
    }
    jpeg_finish_decompress(cinfo);  // reads on to the end marker, whose absence is damage
  }));
  return image;
}

}  // namespace switchboard::media
