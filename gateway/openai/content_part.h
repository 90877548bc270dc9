// The content of a chat message: text and images in the order the client gave them.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_CONTENT_PART_H_
#define SWITCHBOARD_GATEWAY_OPENAI_CONTENT_PART_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/json.h"

namespace switchboard::openai {

// An image as the client sent it. The view is into the request's JSON, which must outlive it.
struct ImageSource {
  std::string param;          // where it stands, for errors
  absl::string_view encoded;  // a data URL, or base64 alone
  bool must_be_url = false;   // base64 alone is no URL
};

struct Content {
  // As the chat template is to see it: a string, or parts {"type":"text","text":...} and
  // {"type":"image"}, whatever form the client used.
  Json value;
  std::vector<ImageSource> images;  // one for each image part, in order
  std::string reasoning;            // of thinking parts
};

// Reads the `content` of a message: a string, or an array of parts. `role` decides which parts may
// occur. InvalidArgument: other types, unknown and unsupported parts, parts without their payload.
absl::StatusOr<Content> ReadContent(absl::string_view path, const Json& value,
                                    absl::string_view role);

// Reads an item of the top-level `images` list: a data URL, base64 alone, or an image part.
absl::StatusOr<ImageSource> ReadListedImage(absl::string_view path, const Json& value);

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_CONTENT_PART_H_
