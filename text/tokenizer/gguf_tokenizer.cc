// Tokenizer::FromGguf: both kinds of vocabulary that GGUF files have.
#include "text/tokenizer/gguf_tokenizer.h"

#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "text/tokenizer/byte_alphabet.h"
#include "text/tokenizer/gguf_pre.h"
#include "text/tokenizer/pipeline_json.h"
#include "text/tokenizer/score_merges.h"
#include "text/tokenizer/tokenizer.h"
#include "text/tokenizer/tokenizer_parts.h"

namespace switchboard::text {
namespace {

constexpr size_t kMaxMerges = size_t{1} << 22;
// Bounds the work of finding a piece's splits, which is quadratic in its length.
constexpr size_t kMaxTokenBytes = 4096;
constexpr char kSpaceMark[] = "\u2581";

using Type = GgufVocabulary::TokenType;

Type TypeOf(const GgufVocabulary& file, size_t id) {
  return file.types.empty() ? Type::kNormal : static_cast<Type>(file.types[id]);
}

// Whether text is searched for the token before everything else.
bool IsAdded(Type type) {
  return type == Type::kControl || type == Type::kUnknown || type == Type::kUserDefined;
}

absl::Status CheckSizes(const GgufVocabulary& file) {
  const size_t tokens = file.tokens.size();
  if (tokens == 0) return absl::InvalidArgumentError("tokenizer.ggml.tokens: missing or empty");
  if (tokens > size_t{kMaxVocabulary}) {
    return absl::InvalidArgumentError(
        absl::StrCat("tokenizer.ggml.tokens: ", tokens, " tokens; at most ", kMaxVocabulary));
  }
  if (!file.types.empty() && file.types.size() != tokens) {
    return absl::InvalidArgumentError(
        absl::StrCat("tokenizer.ggml.token_type: ", file.types.size(), " for ", tokens, " tokens"));
  }
  for (size_t id = 0; id < tokens; ++id) {
    const absl::string_view text = file.tokens[id];
    if (text.size() > kMaxTokenBytes || !IsValidUtf8(text)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tokenizer.ggml.tokens[", id, "]: want UTF-8 of at most ", kMaxTokenBytes, " bytes"));
    }
    const int32_t type = TypeOf(file, id);
    if (type < Type::kNormal || type > Type::kByte) {
      return absl::InvalidArgumentError(
          absl::StrCat("tokenizer.ggml.token_type[", id, "]: ", type, " is not in 1..6"));
    }
  }
  return absl::OkStatus();
}

// The vocabulary of `file`. A text that a lower id has already stays with it: the later token is
// known by its id alone.
absl::StatusOr<Vocabulary> ReadVocabulary(const GgufVocabulary& file, const TokenDecoder& decoder) {
  Vocabulary vocabulary;
  for (size_t id = 0; id < file.tokens.size(); ++id) {
    const absl::string_view text = file.tokens[id];
    const Type type = TypeOf(file, id);
    // Added tokens are written as they are, whatever the alphabet of the others.
    const std::string bytes = IsAdded(type) ? std::string(text) : decoder.BytesOf(text);
    const bool twice = vocabulary.Find(text).has_value();
    RETURN_IF_ERROR(Annotate(
        vocabulary.Add(static_cast<int64_t>(id),
                       twice ? absl::StrCat("[", id, "]", text) : std::string(text), bytes),
        "tokenizer.ggml.tokens"));
    if (type == Type::kControl || type == Type::kUnknown) {
      vocabulary.MarkSpecial(static_cast<int32_t>(id));
    }
  }
  return vocabulary;
}

std::vector<AddedToken> AddedTokens(const GgufVocabulary& file) {
  std::vector<AddedToken> added;
  for (size_t id = 0; id < file.tokens.size(); ++id) {
    if (!IsAdded(TypeOf(file, id))) continue;
    AddedToken token;
    token.id = static_cast<int32_t>(id);
    token.text = std::string(file.tokens[id]);
    token.special = TypeOf(file, id) != Type::kUserDefined;
    added.push_back(std::move(token));
  }
  return added;
}

// The token under key tokenizer.ggml.NAME_token_id.
absl::StatusOr<int32_t> CheckedId(absl::string_view name, absl::optional<int64_t> id,
                                  const GgufVocabulary& file) {
  if (id.has_value() && *id >= 0 && *id < static_cast<int64_t>(file.tokens.size())) {
    return static_cast<int32_t>(*id);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "tokenizer.ggml.", name, "_token_id: ", id.has_value() ? absl::StrCat(*id) : "missing",
      "; want one in 0..", file.tokens.size() - 1));
}

// Beginning and end as the file asks for them; `add_bos` where it says nothing and has a beginning.
absl::StatusOr<Surroundings> ReadSurroundings(const GgufVocabulary& file, bool add_bos) {
  Surroundings around;
  if (file.add_bos.value_or(add_bos && file.bos_id.has_value())) {
    ASSIGN_OR_RETURN(const int32_t bos, CheckedId("bos", file.bos_id, file));
    around.prefix.push_back(bos);
  }
  if (file.add_eos.value_or(false)) {
    ASSIGN_OR_RETURN(const int32_t eos, CheckedId("eos", file.eos_id, file));
    around.suffix.push_back(eos);
  }
  return around;
}

// Lines "left right", spelt in the byte alphabet, which has no space.
absl::StatusOr<MergeTable> ReadMerges(const GgufVocabulary& file, const Vocabulary& vocabulary) {
  if (file.merges.size() > kMaxMerges) {
    return absl::InvalidArgumentError(absl::StrCat("tokenizer.ggml.merges: ", file.merges.size(),
                                                   " merges; at most ", kMaxMerges));
  }
  MergeTable merges(file.merges.size());
  for (size_t i = 0; i < file.merges.size(); ++i) {
    const absl::string_view line = file.merges[i];
    const size_t space = line.find(' ');
    const bool pair = space != line.npos && line.find(' ', space + 1) == line.npos;
    const absl::string_view left = pair ? line.substr(0, space) : line;
    const absl::string_view right = pair ? line.substr(space + 1) : "";
    const auto left_id = vocabulary.Find(left), right_id = vocabulary.Find(right),
               result = vocabulary.Find(absl::StrCat(left, right));
    if (!pair || !left_id.has_value() || !right_id.has_value() || !result.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("tokenizer.ggml.merges[", i, "]: ", Quoted(line),
                       " is not two tokens of the vocabulary that make a third"));
    }
    if (vocabulary.IsSpecial(*result)) continue;  // only template text becomes one
    merges.Insert(*left_id, *right_id, MakeMerge(static_cast<uint32_t>(i), *result));
  }
  return merges;
}

absl::StatusOr<TokenizerParts> ReadByteLevel(const GgufVocabulary& file) {
  ASSIGN_OR_RETURN(GgufPre pre, GgufPreByName(file.pre));
  TokenDecoder decoder;
  decoder.byte_level = true;
  ASSIGN_OR_RETURN(Vocabulary vocabulary, ReadVocabulary(file, decoder));
  ASSIGN_OR_RETURN(MergeTable merges, ReadMerges(file, vocabulary));
  BpeOptions options;
  options.byte_ids.fill(-1);
  options.ignore_merges = pre.ignore_merges;
  std::vector<BytesAndId> pieces;
  for (size_t id = 0; id < file.tokens.size(); ++id) {
    if (TypeOf(file, id) != Type::kNormal) continue;
    absl::optional<std::string> bytes = BytesOfSpelling(file.tokens[id]);
    if (!bytes.has_value() || bytes->empty()) continue;
    if (bytes->size() == 1) {
      int32_t& byte_id = options.byte_ids[static_cast<unsigned char>((*bytes)[0])];
      if (byte_id < 0) byte_id = static_cast<int32_t>(id);
    }
    pieces.emplace_back(*std::move(bytes), static_cast<int32_t>(id));
  }
  ASSIGN_OR_RETURN(Surroundings around, ReadSurroundings(file, pre.add_bos));
  return TokenizerParts{.raw_tokens = AddedTokenMatcher(AddedTokens(file)),
                        .normalizer = std::move(pre.normalizer),
                        .normalized_tokens = AddedTokenMatcher({}),
                        .pre_tokenizer = PreTokenizer(std::move(pre.stages), false, {}),
                        .bpe = Bpe(options, std::move(merges), pieces),
                        .prefix = std::move(around.prefix),
                        .suffix = std::move(around.suffix),
                        .vocabulary = std::move(vocabulary),
                        .decoder = std::move(decoder)};
}

// Fills options->byte_ids and returns the pieces that text can become.
absl::StatusOr<std::vector<ScoredPiece>> ReadPieces(const GgufVocabulary& file,
                                                    BpeOptions* options) {
  if (file.scores.size() != file.tokens.size()) {
    return absl::InvalidArgumentError(absl::StrCat("tokenizer.ggml.scores: ", file.scores.size(),
                                                   " for ", file.tokens.size(), " tokens"));
  }
  std::vector<ScoredPiece> pieces;
  for (size_t id = 0; id < file.tokens.size(); ++id) {
    const absl::string_view text = file.tokens[id];
    const Type type = TypeOf(file, id);
    if (type == Type::kByte) {
      const int byte = ByteOfFallback(text);
      if (byte < 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("tokenizer.ggml.tokens[", id, "]: a byte, but not spelt <0xHH>"));
      }
      int32_t& byte_id = options->byte_ids[static_cast<size_t>(byte)];
      if (byte_id < 0) byte_id = static_cast<int32_t>(id);
    } else if (type == Type::kNormal && !text.empty()) {
      if (std::isnan(file.scores[id])) {
        return absl::InvalidArgumentError(
            absl::StrCat("tokenizer.ggml.scores[", id, "]: not a number"));
      }
      pieces.push_back({std::string(text), static_cast<int32_t>(id), file.scores[id]});
    }
  }
  return pieces;
}

// The steps before the model: a space before every text between added tokens, and the mark for
// each space.
absl::StatusOr<Normalizer> SpaceMarks(bool add_space_prefix) {
  std::vector<Normalizer::Step> steps;
  if (add_space_prefix) steps.emplace_back(Normalizer::Prepend{kSpaceMark});
  ASSIGN_OR_RETURN(SplitPattern space, SplitPattern::Literal(" "));
  steps.emplace_back(
      Normalizer::Replace{std::make_shared<const SplitPattern>(std::move(space)), kSpaceMark});
  return Normalizer(std::move(steps));
}

absl::StatusOr<TokenizerParts> ReadSentencePiece(const GgufVocabulary& file) {
  const bool add_space_prefix = file.add_space_prefix.value_or(true);
  TokenDecoder decoder;
  decoder.replacements.emplace_back(kSpaceMark, " ");
  decoder.byte_fallback = true;
  if (add_space_prefix) decoder.lead = TokenDecoder::Lead::kSpaceDropped;
  ASSIGN_OR_RETURN(Vocabulary vocabulary, ReadVocabulary(file, decoder));
  BpeOptions options;
  options.byte_ids.fill(-1);
  options.from_characters = true;
  ASSIGN_OR_RETURN(const std::vector<ScoredPiece> scored, ReadPieces(file, &options));
  if (file.unknown_id.has_value()) {
    ASSIGN_OR_RETURN(options.unknown_id, CheckedId("unknown", file.unknown_id, file));
  }
  std::vector<BytesAndId> pieces;
  for (const ScoredPiece& piece : scored) pieces.emplace_back(piece.text, piece.id);
  ASSIGN_OR_RETURN(Normalizer normalizer, SpaceMarks(add_space_prefix));
  ASSIGN_OR_RETURN(Surroundings around, ReadSurroundings(file, /*add_bos=*/true));
  return TokenizerParts{.raw_tokens = AddedTokenMatcher(AddedTokens(file)),
                        .normalizer = std::move(normalizer),
                        .normalized_tokens = AddedTokenMatcher({}),
                        .pre_tokenizer = PreTokenizer({}, false, {}),
                        .bpe = Bpe(options, MergesByScore(scored), pieces),
                        .prefix = std::move(around.prefix),
                        .suffix = std::move(around.suffix),
                        .vocabulary = std::move(vocabulary),
                        .decoder = std::move(decoder)};
}

}  // namespace

absl::StatusOr<TokenizerParts> ReadGguf(const GgufVocabulary& file) {
  const bool byte_level = file.model == "gpt2";
  if (!byte_level && file.model != "llama") {
    return absl::UnimplementedError(absl::StrCat("tokenizer.ggml.model: ", Quoted(file.model),
                                                 " is not supported; known: gpt2, llama"));
  }
  RETURN_IF_ERROR(CheckSizes(file));
  ASSIGN_OR_RETURN(TokenizerParts parts,
                   byte_level ? ReadByteLevel(file) : ReadSentencePiece(file));
  return parts;
}

absl::StatusOr<std::unique_ptr<const Tokenizer>> Tokenizer::FromGguf(
    const GgufVocabulary& vocabulary) {
  absl::StatusOr<TokenizerParts> parts = ReadGguf(vocabulary);
  if (!parts.ok()) return Annotate(parts.status(), "GGUF vocabulary");
  return std::make_unique<const Tokenizer>(*std::move(parts));
}

}  // namespace switchboard::text
