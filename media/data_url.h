// Media that clients send inline: `data:` URLs (RFC 2397), read as leniently as real clients need.
#ifndef SWITCHBOARD_MEDIA_DATA_URL_H_
#define SWITCHBOARD_MEDIA_DATA_URL_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace switchboard::media {

// The parts of a base64 data URL; both point into the URL.
struct DataUrl {
  absl::string_view media_type;  // "image/png" without parameters, as written; may be empty
  absl::string_view payload;     // base64 text, still encoded
};

// Splits `data:[type][;parameter...];base64,payload`. The scheme and `base64` may be in any case,
// white space around the URL and the parts is ignored. The media type is only reported: what the
// bytes are is told by the bytes.
// InvalidArgument for every other URL. The message says what is accepted, names the scheme of a
// remote URL, and repeats nothing else of the text.
absl::StatusOr<DataUrl> ParseDataUrl(absl::string_view url);

// The bytes of a payload: base64 as base/base64.h reads it (both alphabets, white space, padding or
// none), with %XX escapes allowed anywhere in it. InvalidArgument, without any of the text: broken
// base64 or escapes, an empty payload, more than `max_bytes` bytes (tested before memory is taken,
// as far as escapes and white space allow).
absl::StatusOr<std::string> DecodeDataPayload(absl::string_view payload, size_t max_bytes);

}  // namespace switchboard::media

#endif  // SWITCHBOARD_MEDIA_DATA_URL_H_
