#include "tools/golden/tokenizers.h"

#include <zlib.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "text/marked_text.h"
#include "text/tokenizer/incremental_decoder.h"
#include "text/tokenizer/tokenizer.h"

namespace switchboard::golden {
namespace {

using text::MarkedText;
using text::Tokenizer;
using Ids = std::vector<int32_t>;

absl::StatusOr<std::string> Gunzip(absl::string_view packed) {
  z_stream stream = {};
  constexpr int kGzip = 16 + MAX_WBITS;
  if (inflateInit2(&stream, kGzip) != Z_OK) return absl::ResourceExhaustedError("zlib");
  stream.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK) {
    char buffer[1 << 16];
    stream.next_out = reinterpret_cast<unsigned char*>(buffer);
    stream.avail_out = sizeof(buffer);
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, sizeof(buffer) - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END) return absl::DataLossError("not a whole gzip file");
  return out;
}

// What dashscope's tokenizer adds to qwen.tiktoken.
text::TiktokenSetup QwenSetup() {
  text::TiktokenSetup setup;
  setup.pattern =
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
      R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
  setup.normalizer = text::Normalizer({text::Normalizer::Form::kNfc});
  std::vector<std::string> names = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
  for (int i = 0; i < 205; ++i) names.push_back(absl::StrCat("<|extra_", i, "|>"));
  for (const std::string& name : names) {
    text::AddedToken token;
    token.id = 151643 + static_cast<int32_t>(setup.special_tokens.size());
    token.text = name;
    token.special = true;
    setup.special_tokens.push_back(token);
  }
  return setup;
}

absl::StatusOr<std::unique_ptr<const Tokenizer>> Load(const DataFolder& data,
                                                      const std::string& folder) {
  if (data.Has(folder + "/qwen.tiktoken.gz")) {
    ASSIGN_OR_RETURN(const std::string packed, data.Read(folder + "/qwen.tiktoken.gz"));
    ASSIGN_OR_RETURN(const std::string ranks, Gunzip(packed));
    return Tokenizer::FromTiktoken(ranks, QwenSetup());
  }
  if (data.Has(folder + "/tokenizer.json.gz")) {
    ASSIGN_OR_RETURN(const std::string packed, data.Read(folder + "/tokenizer.json.gz"));
    ASSIGN_OR_RETURN(const std::string json, Gunzip(packed));
    return Tokenizer::FromJson(json);
  }
  ASSIGN_OR_RETURN(const std::string json, data.Read(folder + "/tokenizer.json"));
  return Tokenizer::FromJson(json);
}

std::string Shown(const Ids& ids) { return absl::StrCat("[", absl::StrJoin(ids, ","), "]"); }
std::string Shown(const std::string& text) {
  return SerializeJson(boost::json::string(text.data(), text.size()));
}

template <typename T>
absl::Status Equal(const T& got, const T& want) {
  if (got == want) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("got ", Shown(got), ", want ", Shown(want)));
}

// Members of one line of a file.
absl::StatusOr<Ids> IdsOf(const Json& line, absl::string_view key) {
  const Json* list = line.is_object() ? FindPresent(line.get_object(), key) : nullptr;
  if (list == nullptr || !list->is_array()) {
    return absl::InvalidArgumentError(absl::StrCat("no list ", key));
  }
  Ids ids;
  for (const Json& id : list->get_array()) {
    if (!id.is_int64()) return absl::InvalidArgumentError(absl::StrCat(key, " has no ids"));
    ids.push_back(static_cast<int32_t>(id.get_int64()));
  }
  return ids;
}

absl::StatusOr<std::string> TextOf(const Json& line, absl::string_view key) {
  const Json* text = line.is_object() ? FindPresent(line.get_object(), key) : nullptr;
  if (text == nullptr || !text->is_string()) {
    return absl::InvalidArgumentError(absl::StrCat("no text ", key));
  }
  return std::string(ToAbsl(text->get_string()));
}

absl::Status CheckIds(const Tokenizer& tokenizer, const Json& line, const std::string& key) {
  ASSIGN_OR_RETURN(const std::string text, TextOf(line, "text"));
  ASSIGN_OR_RETURN(const Ids want, IdsOf(line, key));
  const bool plain = key == "ids_plain";
  const MarkedText marked = plain ? MarkedText::Data(text) : MarkedText::Literal(text);
  return Equal(tokenizer.Encode(marked, /*add_special_tokens=*/key == "ids_special"), want);
}

absl::Status CheckDecode(const Tokenizer& tokenizer, const Json& line, const std::string& key) {
  const bool templated = FindPresent(line.get_object(), "ids_special") != nullptr;
  ASSIGN_OR_RETURN(const Ids ids, IdsOf(line, templated ? "ids_special" : "ids"));
  ASSIGN_OR_RETURN(const std::string want, TextOf(line, key));
  return Equal(tokenizer.Decode(ids, /*skip_special=*/key == "decode_skip"), want);
}

absl::Status CheckIncremental(const Tokenizer& tokenizer, const Json& line) {
  ASSIGN_OR_RETURN(const Ids ids, IdsOf(line, "ids"));
  ASSIGN_OR_RETURN(const std::string tail, TextOf(line, "tail"));
  const Json* skip = FindPresent(line.get_object(), "skip_special");
  const Json* pieces = FindPresent(line.get_object(), "pieces");
  if (skip == nullptr || !skip->is_bool() || pieces == nullptr || !pieces->is_array() ||
      pieces->get_array().size() != ids.size()) {
    return absl::InvalidArgumentError("no skip_special, or not one piece for each id");
  }
  text::IncrementalDecoder decoder(&tokenizer, skip->get_bool());
  for (size_t i = 0; i < ids.size(); ++i) {
    const Json& piece = pieces->get_array()[i];
    if (!piece.is_string()) return absl::InvalidArgumentError("a piece is no text");
    RETURN_IF_ERROR(Annotate(Equal(decoder.Add(ids[i]), std::string(ToAbsl(piece.get_string()))),
                             absl::StrCat("piece ", i)));
  }
  return Annotate(Equal(decoder.Finish(), tail), "tail");
}

// Judges `file` line by line; `check` judges one line under a name.
template <typename Check>
void JudgeLines(const DataFolder& data, const std::string& file, Report* report, Check check) {
  const absl::StatusOr<std::vector<Json>> lines = data.ReadJsonLines(file);
  if (!lines.ok()) {
    report->Fail(file, lines.status().message());
    return;
  }
  for (size_t i = 0; i < lines->size(); ++i) check((*lines)[i], absl::StrCat(file, ":", i + 1));
}

}  // namespace

void JudgeVectors(const DataFolder& data, const std::string& file, const Tokenizer& tokenizer,
                  Report* report) {
  JudgeLines(data, file, report, [&](const Json& line, const std::string& where) {
    const auto has = [&](absl::string_view key) {
      return line.is_object() && FindPresent(line.get_object(), key) != nullptr;
    };
    for (const char* key : {"ids", "ids_special", "ids_plain"}) {
      if (has(key)) report->Judge(absl::StrCat(where, " ", key), CheckIds(tokenizer, line, key));
    }
    for (const char* key : {"decode", "decode_skip"}) {
      if (has(key)) report->Judge(absl::StrCat(where, " ", key), CheckDecode(tokenizer, line, key));
    }
  });
}

void JudgeTokenizers(const DataFolder& data, Report* report) {
  for (const std::string& name : data.Folders("tokenizers")) {
    const std::string folder = absl::StrCat("tokenizers/", name);
    const absl::StatusOr<std::unique_ptr<const Tokenizer>> tokenizer = Load(data, folder);
    if (absl::IsUnimplemented(tokenizer.status())) {
      report->Skip(folder, tokenizer.status().message());
      continue;
    }
    if (!tokenizer.ok()) {
      report->Fail(folder, tokenizer.status().message());
      continue;
    }
    JudgeVectors(data, folder + "/vectors.jsonl", **tokenizer, report);
    if (!data.Has(folder + "/incremental.jsonl")) continue;
    JudgeLines(data, folder + "/incremental.jsonl", report,
               [&](const Json& line, const std::string& where) {
                 report->Judge(where, CheckIncremental(**tokenizer, line));
               });
  }
}

}  // namespace switchboard::golden
