#include "tests/unit/media/jpeg_builder.h"

#include <jpeglib.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace switchboard::media {
namespace {

// Compresses rows of `row`; libjpeg ends the process on misuse, which is fine in a test.
std::string Compress(jpeg_compress_struct* cinfo, std::string row) {
  unsigned char* data = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(cinfo, &data, &size);
  jpeg_start_compress(cinfo, TRUE);
  while (cinfo->next_scanline < cinfo->image_height) {
    auto* samples = reinterpret_cast<JSAMPROW>(row.data());
    jpeg_write_scanlines(cinfo, &samples, 1);
  }
  jpeg_finish_compress(cinfo);
  jpeg_destroy_compress(cinfo);
  std::string file(reinterpret_cast<char*>(data), size);
  std::free(data);
  return file;
}

J_COLOR_SPACE ColorSpaceOf(size_t components) {
  if (components == 1) return JCS_GRAYSCALE;
  if (components == 3) return JCS_RGB;
  return components == 4 ? JCS_CMYK : JCS_UNKNOWN;
}

}  // namespace

std::string BuildFlatJpeg(const JpegSpec& spec, absl::string_view pixel) {
  jpeg_error_mgr errors;
  jpeg_compress_struct cinfo = {};
  cinfo.err = jpeg_std_error(&errors);
  jpeg_create_compress(&cinfo);
  cinfo.image_width = spec.width;
  cinfo.image_height = spec.height;
  cinfo.input_components = static_cast<int>(pixel.size());
  cinfo.in_color_space = ColorSpaceOf(pixel.size());
  jpeg_set_defaults(&cinfo);
  if (spec.ycck) jpeg_set_colorspace(&cinfo, JCS_YCCK);
  jpeg_set_quality(&cinfo, 100, TRUE);
  std::string row;
  for (int x = 0; x < spec.width; ++x) row.append(pixel.data(), pixel.size());
  return Compress(&cinfo, row);
}

std::string BuildProgressiveJpeg(int width, int height, int scans) {
  jpeg_error_mgr errors;
  jpeg_compress_struct cinfo = {};
  cinfo.err = jpeg_std_error(&errors);
  jpeg_create_compress(&cinfo);
  cinfo.image_width = width;
  cinfo.image_height = height;
  cinfo.input_components = 1;
  cinfo.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&cinfo);
  const jpeg_scan_info script[] = {
      {.comps_in_scan = 1, .component_index = {}, .Ss = 0, .Se = 0, .Ah = 0, .Al = 0},
      {.comps_in_scan = 1, .component_index = {}, .Ss = 1, .Se = 1, .Ah = 0, .Al = 0}};
  cinfo.scan_info = script;
  cinfo.num_scans = 2;
  const std::string file = Compress(&cinfo, std::string(width, '\x80'));
  // The library writes no scan twice; decoders read it all the same.
  const size_t last_scan = file.rfind("\xFF\xC4"), end = file.size() - 2;
  std::string repeated = file.substr(0, last_scan);
  for (int i = 0; i < scans; ++i) repeated += file.substr(last_scan, end - last_scan);
  return repeated + file.substr(end);
}

}  // namespace switchboard::media
