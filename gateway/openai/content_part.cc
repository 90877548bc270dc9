#include "gateway/openai/content_part.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"
#include "gateway/openai/object_reader.h"

namespace switchboard::openai {
namespace {

constexpr size_t kMaxQuoted = 64;  // bytes of a client's word repeated in a message

// The member as a string that is there.
absl::StatusOr<absl::string_view> RequiredString(ObjectReader* reader, absl::string_view key) {
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> text, reader->String(key));
  if (!text.has_value()) return Missing(reader->Path(key));
  return *text;
}

// image_url: an object with a url, or the url itself.
absl::StatusOr<ImageSource> ReadImageUrl(ObjectReader* part) {
  const Json* value = part->Any("image_url");
  const std::string path = part->Path("image_url");
  if (value == nullptr) return Missing(path);
  if (value->is_string()) return ImageSource{path, ToAbsl(value->get_string()), true};
  if (!value->is_object()) return WrongType(path, "an object or a string", *value);
  ObjectReader image(&value->get_object(), path);
  ASSIGN_OR_RETURN(const absl::string_view url, RequiredString(&image, "url"));
  return ImageSource{image.Path("url"), url, true};
}

// image: `data`, `image` or `source.data` with base64 or a data URL.
absl::StatusOr<ImageSource> ReadImageData(ObjectReader* part) {
  ASSIGN_OR_RETURN(const JsonObject* source, part->Object("source"));
  if (source != nullptr) {
    ObjectReader reader(source, part->Path("source"));
    ASSIGN_OR_RETURN(const absl::string_view data, RequiredString(&reader, "data"));
    return ImageSource{reader.Path("data"), data, false};
  }
  const absl::string_view key = part->Any("image") != nullptr ? "image" : "data";
  ASSIGN_OR_RETURN(const absl::string_view data, RequiredString(part, key));
  return ImageSource{part->Path(key), data, false};
}

bool IsImageType(absl::string_view type) {
  return type == "image_url" || type == "input_image" || type == "image";
}

absl::StatusOr<ImageSource> ReadImage(ObjectReader* part, absl::string_view type) {
  return type == "image" ? ReadImageData(part) : ReadImageUrl(part);
}

absl::Status RefuseType(const std::string& path, absl::string_view type) {
  for (absl::string_view known : {"input_audio", "audio_url", "video_url", "input_video", "video",
                                  "file", "image_embeds", "audio_embeds"}) {
    if (type == known) {
      return Error("unsupported_value", path,
                   absl::StrCat("Content parts of type '", type, "' are not supported."));
    }
  }
  return Error("invalid_value", path,
               absl::StrCat("'", type.substr(0, kMaxQuoted), "' is not a content part type."));
}

void AddText(absl::string_view text, JsonArray* parts) {
  parts->push_back(JsonObject{{"type", "text"}, {"text", ToBoost(text)}});
}

absl::Status ReadPart(const std::string& path, const Json& value, absl::string_view role,
                      JsonArray* parts, Content* content) {
  if (value.is_string()) {
    AddText(ToAbsl(value.get_string()), parts);
    return absl::OkStatus();
  }
  if (!value.is_object()) return WrongType(path, "an object", value);
  ObjectReader part(&value.get_object(), path);
  ASSIGN_OR_RETURN(const absl::string_view type, RequiredString(&part, "type"));
  if (type == "text" || type == "input_text" || type == "output_text") {
    ASSIGN_OR_RETURN(const absl::string_view text, RequiredString(&part, "text"));
    AddText(text, parts);
    return absl::OkStatus();
  }
  if (IsImageType(type)) {
    ASSIGN_OR_RETURN(ImageSource image, ReadImage(&part, type));
    parts->push_back(JsonObject{{"type", "image"}});
    content->images.push_back(std::move(image));
    return absl::OkStatus();
  }
  if (role == "assistant" && type == "refusal") {
    ASSIGN_OR_RETURN(const absl::string_view text, RequiredString(&part, "refusal"));
    AddText(text, parts);
    return absl::OkStatus();
  }
  if (role == "assistant" && (type == "thinking" || type == "reasoning")) {
    ASSIGN_OR_RETURN(const absl::string_view text, RequiredString(&part, type));
    absl::StrAppend(&content->reasoning, text);
    return absl::OkStatus();
  }
  return RefuseType(part.Path("type"), type);
}

}  // namespace

absl::StatusOr<Content> ReadContent(absl::string_view path, const Json& value,
                                    absl::string_view role) {
  Content content;
  if (value.is_string()) {
    content.value = value;
    return content;
  }
  if (!value.is_array()) return WrongType(path, "a string or an array of parts", value);
  const JsonArray& array = value.get_array();
  JsonArray parts;
  for (size_t i = 0; i < array.size(); ++i) {
    RETURN_IF_ERROR(ReadPart(ItemPath(path, i), array[i], role, &parts, &content));
  }
  content.value = std::move(parts);
  return content;
}

absl::StatusOr<ImageSource> ReadListedImage(absl::string_view path, const Json& value) {
  if (value.is_string()) return ImageSource{std::string(path), ToAbsl(value.get_string()), false};
  if (!value.is_object()) return WrongType(path, "a string or an image part", value);
  ObjectReader part(&value.get_object(), std::string(path));
  ASSIGN_OR_RETURN(const std::optional<absl::string_view> type, part.String("type"));
  if (type.has_value() && !IsImageType(*type)) return RefuseType(part.Path("type"), *type);
  if (type.has_value()) return ReadImage(&part, *type);
  // Without a type: {"url": ...} or {"data": ...}.
  if (part.Any("url") != nullptr) {
    ASSIGN_OR_RETURN(const absl::string_view url, RequiredString(&part, "url"));
    return ImageSource{part.Path("url"), url, true};
  }
  return ReadImage(&part, "image");
}

}  // namespace switchboard::openai
