#include "text/tokenizer/tokenizer_json.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "text/tokenizer/byte_alphabet.h"
#include "text/tokenizer/gguf_json.h"
#include "text/tokenizer/json_field.h"
#include "text/tokenizer/pipeline_json.h"
#include "text/tokenizer/tokenizer.h"

namespace switchboard::text {
namespace {

constexpr size_t kMaxMerges = size_t{1} << 22;
constexpr size_t kMaxAddedTokenBytes = 4096;

// Options of the model that would change the ids.
absl::Status CheckModel(const JsonField& model) {
  if (model.Find("type") != nullptr) {
    ASSIGN_OR_RETURN(const std::string type, model.String("type"));
    if (type != "BPE") return model.Unsupported("type", Quoted(type) + " is not supported");
  }
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (model.Find(key) == nullptr) continue;
    ASSIGN_OR_RETURN(const std::string affix, model.String(key));
    if (!affix.empty()) return model.Unsupported(key, "is not supported");
  }
  const Json* dropout = model.Find("dropout");
  if (dropout != nullptr && !(dropout->is_number() && dropout->to_number<double>() == 0)) {
    return model.Unsupported("dropout", "is not supported: encoding must be deterministic");
  }
  return absl::OkStatus();
}

// Ids of the special added tokens. They may be in the vocabulary too, but encoding never makes
// them: only AddedTokenMatcher, which looks at the marks, does.
using SpecialIdSet = absl::flat_hash_set<int64_t>;

SpecialIdSet SpecialIds(const std::vector<AddedToken>& tokens) {
  SpecialIdSet ids;
  for (const AddedToken& token : tokens) {
    if (token.special) ids.insert(token.id);
  }
  return ids;
}

// Fills `vocabulary`, and `pieces` with the tokens that text can become: with a byte-level decoder
// those that are written in its alphabet, as bytes; otherwise all.
absl::Status ReadVocabulary(const JsonField& model, const TokenDecoder& decoder,
                            const SpecialIdSet& special, Vocabulary* vocabulary,
                            std::vector<BytesAndId>* pieces) {
  ASSIGN_OR_RETURN(const JsonField vocab, model.Object("vocab"));
  for (const auto& [key, id] : vocab.object()) {
    const absl::string_view text = ToAbsl(key);
    if (!id.is_int64()) return model.Invalid("vocab", Quoted(text) + " has no whole number as id");
    absl::Status added = vocabulary->Add(id.get_int64(), text, decoder.BytesOf(text));
    if (!added.ok()) return model.Invalid("vocab", added.message());
    if (special.contains(id.get_int64())) continue;
    absl::optional<std::string> piece =
        decoder.byte_level ? BytesOfSpelling(text) : std::string(text);
    if (piece.has_value() && !piece->empty()) {
      pieces->emplace_back(*std::move(piece), static_cast<int32_t>(id.get_int64()));
    }
  }
  return absl::OkStatus();
}

// `"left right"`, or `["left", "right"]`.
absl::StatusOr<std::pair<absl::string_view, absl::string_view>> MergePair(const Json& merge) {
  if (const boost::json::string* line = merge.if_string()) {
    const absl::string_view text = ToAbsl(*line);
    const size_t space = text.find(' ');
    if (space != text.npos && text.find(' ', space + 1) == text.npos) {
      return std::make_pair(text.substr(0, space), text.substr(space + 1));
    }
  } else if (const JsonArray* list = merge.if_array()) {
    if (list->size() == 2 && (*list)[0].is_string() && (*list)[1].is_string()) {
      return std::make_pair(ToAbsl((*list)[0].get_string()), ToAbsl((*list)[1].get_string()));
    }
  }
  return absl::InvalidArgumentError("want two tokens");
}

absl::StatusOr<MergeTable> ReadMerges(const JsonField& model, const Vocabulary& vocabulary,
                                      const SpecialIdSet& special) {
  ASSIGN_OR_RETURN(const JsonArray* list, model.List("merges"));
  if (list->size() > kMaxMerges) {
    return model.Invalid("merges",
                         absl::StrCat("has ", list->size(), " entries; at most ", kMaxMerges));
  }
  MergeTable merges(list->size());
  for (size_t i = 0; i < list->size(); ++i) {
    const auto pair = MergePair((*list)[i]);
    if (!pair.ok()) return Annotate(pair.status(), absl::StrCat("model.merges[", i, "]"));
    const auto [left, right] = *pair;
    int32_t ids[3];
    size_t known = 0;
    for (const std::string& text :
         {std::string(left), std::string(right), absl::StrCat(left, right)}) {
      const absl::optional<int32_t> id = vocabulary.Find(text);
      if (!id.has_value()) {
        return model.Invalid(absl::StrCat("merges[", i, "]"),
                             Quoted(text) + " is not in the vocabulary");
      }
      ids[known++] = *id;
    }
    if (special.contains(ids[2])) continue;
    merges.Insert(ids[0], ids[1], MakeMerge(static_cast<uint32_t>(i), ids[2]));
  }
  return merges;
}

// The tokens of single bytes: in a byte-level vocabulary the pieces of one byte, otherwise, with
// "byte_fallback", those spelt <0xHH>.
absl::Status FindByteTokens(const JsonField& model, bool byte_level,
                            const std::vector<BytesAndId>& pieces, BpeOptions* options) {
  ASSIGN_OR_RETURN(const bool byte_fallback, model.Bool("byte_fallback", false));
  if (byte_level && byte_fallback) {
    return model.Unsupported("byte_fallback", "is not supported with a ByteLevel pre-tokenizer");
  }
  options->byte_ids.fill(-1);
  for (const auto& [text, id] : pieces) {
    int byte = -1;
    if (byte_level) {
      if (text.size() == 1) byte = static_cast<unsigned char>(text[0]);
    } else if (byte_fallback) {
      byte = ByteOfFallback(text);
    }
    if (byte >= 0) options->byte_ids[static_cast<size_t>(byte)] = id;
  }
  return absl::OkStatus();
}

absl::StatusOr<Bpe> ReadModel(const JsonField& model, const TokenDecoder& decoder,
                              const SpecialIdSet& special, Vocabulary* vocabulary) {
  std::vector<BytesAndId> pieces;
  RETURN_IF_ERROR(ReadVocabulary(model, decoder, special, vocabulary, &pieces));
  ASSIGN_OR_RETURN(MergeTable merges, ReadMerges(model, *vocabulary, special));
  BpeOptions options;
  options.from_characters = !decoder.byte_level;
  RETURN_IF_ERROR(FindByteTokens(model, decoder.byte_level, pieces, &options));
  ASSIGN_OR_RETURN(options.ignore_merges, model.Bool("ignore_merges", false));
  ASSIGN_OR_RETURN(options.fuse_unknown, model.Bool("fuse_unk", false));
  const auto& byte_ids = options.byte_ids;
  const bool complete = std::find(byte_ids.begin(), byte_ids.end(), -1) == byte_ids.end();
  if (!complete && model.Find("unk_token") != nullptr) {
    ASSIGN_OR_RETURN(const std::string unknown, model.String("unk_token"));
    const absl::optional<int32_t> id = vocabulary->Find(unknown);
    if (!id.has_value()) {
      return model.Invalid("unk_token", Quoted(unknown) + " is not in the vocabulary");
    }
    options.unknown_id = *id;
  }
  return Bpe(options, std::move(merges), pieces);
}

absl::StatusOr<AddedToken> ReadAddedToken(const JsonField& field) {
  AddedToken token;
  ASSIGN_OR_RETURN(token.text, field.String("content"));
  if (token.text.size() > kMaxAddedTokenBytes) {
    return field.Invalid("content", absl::StrCat("is longer than ", kMaxAddedTokenBytes, " bytes"));
  }
  ASSIGN_OR_RETURN(token.special, field.Bool("special", false));
  ASSIGN_OR_RETURN(token.lstrip, field.Bool("lstrip", false));
  ASSIGN_OR_RETURN(token.rstrip, field.Bool("rstrip", false));
  ASSIGN_OR_RETURN(token.single_word, field.Bool("single_word", false));
  ASSIGN_OR_RETURN(token.normalized, field.Bool("normalized", !token.special));
  const Json* id = field.Find("id");
  if (id == nullptr || !id->is_int64()) return field.Invalid("id", "want a whole number");
  if (id->get_int64() < 0 || id->get_int64() >= kMaxVocabulary) {
    return field.Invalid("id", absl::StrCat(id->get_int64(), " is not in 0..", kMaxVocabulary - 1));
  }
  token.id = static_cast<int32_t>(id->get_int64());
  return token;
}

absl::StatusOr<std::vector<AddedToken>> ReadAddedTokens(const JsonField& file) {
  std::vector<AddedToken> tokens;
  if (file.Find("added_tokens") == nullptr) return tokens;
  ASSIGN_OR_RETURN(const JsonArray* list, file.List("added_tokens"));
  for (size_t i = 0; i < list->size(); ++i) {
    ASSIGN_OR_RETURN(const JsonField field,
                     JsonField::Of((*list)[i], absl::StrCat("added_tokens[", i, "]")));
    ASSIGN_OR_RETURN(AddedToken token, ReadAddedToken(field));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

// Gives `vocabulary` those that it lacks.
absl::Status AddTokens(const std::vector<AddedToken>& tokens, const TokenDecoder& decoder,
                       Vocabulary* vocabulary) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const AddedToken& token = tokens[i];
    if (vocabulary->Find(token.text) != token.id) {
      RETURN_IF_ERROR(Annotate(vocabulary->Add(token.id, token.text, decoder.BytesOf(token.text)),
                               absl::StrCat("added_tokens[", i, "]")));
    }
    if (token.special) vocabulary->MarkSpecial(token.id);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TokenizerParts> ReadTokenizerJson(absl::string_view tokenizer_json) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(tokenizer_json));
  ASSIGN_OR_RETURN(const JsonField file, JsonField::Of(json, ""));
  if (IsGgufJson(file)) return ReadGgufJson(file);
  ASSIGN_OR_RETURN(const JsonField model, file.Object("model"));
  RETURN_IF_ERROR(CheckModel(model));  // first: it says best what kind of file this is
  ASSIGN_OR_RETURN(Normalizer normalizer, ReadNormalizer(file));
  ASSIGN_OR_RETURN(PreTokenization pre, ReadPreTokenizer(file));
  ASSIGN_OR_RETURN(Surroundings around, ReadPostProcessor(file));
  ASSIGN_OR_RETURN(TokenDecoder decoder, ReadDecoder(file, pre.byte_level));
  ASSIGN_OR_RETURN(const std::vector<AddedToken> added, ReadAddedTokens(file));
  Vocabulary vocabulary;
  ASSIGN_OR_RETURN(Bpe bpe, ReadModel(model, decoder, SpecialIds(added), &vocabulary));
  RETURN_IF_ERROR(AddTokens(added, decoder, &vocabulary));
  std::vector<AddedToken> raw, normalized;
  for (const AddedToken& token : added) {
    (token.normalized ? normalized : raw).push_back(token);
  }
  for (AddedToken& token : normalized) token.text = normalizer.Apply(token.text);
  return TokenizerParts{.raw_tokens = AddedTokenMatcher(std::move(raw)),
                        .normalizer = std::move(normalizer),
                        .normalized_tokens = AddedTokenMatcher(std::move(normalized)),
                        .pre_tokenizer = std::move(pre.pre_tokenizer),
                        .bpe = std::move(bpe),
                        .prefix = std::move(around.prefix),
                        .suffix = std::move(around.suffix),
                        .vocabulary = std::move(vocabulary),
                        .decoder = std::move(decoder)};
}

absl::StatusOr<std::unique_ptr<const Tokenizer>> Tokenizer::FromJson(
    absl::string_view tokenizer_json) {
  absl::StatusOr<TokenizerParts> parts = ReadTokenizerJson(tokenizer_json);
  if (!parts.ok()) return Annotate(parts.status(), "tokenizer.json");
  return std::make_unique<const Tokenizer>(*std::move(parts));
}

}  // namespace switchboard::text
