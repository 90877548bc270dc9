// Any text as a data URL; its payload, if it has one, within a bound.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "media/data_url.h"

namespace switchboard::media {
namespace {

constexpr size_t kMaxBytes = 256;

void Check(absl::string_view url) {
  const absl::StatusOr<DataUrl> parts = ParseDataUrl(url);
  if (!parts.ok()) {
    CHECK(parts.status().code() == absl::StatusCode::kInvalidArgument);
    return;
  }
  CHECK(parts->payload.size() < url.size() && parts->media_type.size() < url.size());
  const absl::StatusOr<std::string> bytes = DecodeDataPayload(parts->payload, kMaxBytes);
  if (bytes.ok()) {
    CHECK(!bytes->empty() && bytes->size() <= kMaxBytes);
  } else {
    CHECK(bytes.status().code() == absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace switchboard::media

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  switchboard::media::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
