// Text to token ids and back, as a model's tokenizer.json, tiktoken file or GGUF file defines it.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_H_
#define SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "text/marked_text.h"
#include "text/tokenizer/added_tokens.h"
#include "text/tokenizer/normalizer.h"

namespace switchboard::text {

struct GgufVocabulary;
struct TokenizerParts;

// What a tiktoken file leaves to the program that loads it.
struct TiktokenSetup {
  absl::string_view pattern;  // cuts the text into pieces
  Normalizer normalizer;
  std::vector<AddedToken> special_tokens;
};

// Immutable, thread-safe.
class Tokenizer {
 public:
  // Reads the content of a tokenizer.json. InvalidArgument when it is malformed, Unimplemented when
  // it asks for something other than byte-pair encoding or for a step that this program does not
  // know; the message names the field. "truncation" and "padding" are the caller's business and
  // ignored. Reads the texts of gguf_json.h, too.
  static absl::StatusOr<std::unique_ptr<const Tokenizer>> FromJson(
      absl::string_view tokenizer_json);
  // Reads lines `BASE64 RANK`.
  static absl::StatusOr<std::unique_ptr<const Tokenizer>> FromTiktoken(absl::string_view ranks,
                                                                       const TiktokenSetup& setup);
  // InvalidArgument when lists contradict each other or ids are out of range, Unimplemented for
  // another model than "gpt2" and "llama" and for a "gpt2" whose pre-tokenizer is not known; the
  // message names the metadata key.
  static absl::StatusOr<std::unique_ptr<const Tokenizer>> FromGguf(
      const GgufVocabulary& vocabulary);
  // The formats above end here.
  explicit Tokenizer(TokenizerParts parts);
  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  // The ids of the whole text. Special added tokens are found only where every byte of them is
  // literal, the other added tokens everywhere. The text between two added tokens is encoded as
  // one, whatever its marks, so wholly literal text gets the ids that the reference gives it, and
  // wholly data those that it gives with special tokens switched off. `add_special_tokens` adds
  // what the file's post-processor puts around a text (chat templates write such tokens
  // themselves). Bytes that are not UTF-8 are read as U+FFFD. REQUIRES: text.size() < 2^30.
  std::vector<int32_t> Encode(const MarkedText& text, bool add_special_tokens) const;

  // The ids of a whole prompt that no template wrote: with special tokens added, but without a
  // second beginning where the prompt spells it itself.
  std::vector<int32_t> EncodePrompt(const MarkedText& text) const;

  // The text of `ids`. Unknown ids stand for nothing; `skip_special` leaves special tokens out.
  // Bytes that are not UTF-8 become U+FFFD, one per maximal ill-formed subsequence. SentencePiece
  // style vocabularies drop the space that encoding put before the text.
  std::string Decode(absl::Span<const int32_t> ids, bool skip_special) const;

  int vocab_size() const;  // highest id + 1
  // The id of the token that the file spells exactly `text` (byte-level tokens in their alphabet).
  absl::optional<int32_t> TokenId(absl::string_view text) const;
  bool IsSpecial(int32_t id) const;
  // The bytes that the token stands for in decoded text; empty for an id without a token. The view
  // lives as long as the tokenizer.
  absl::string_view TokenBytes(int32_t id) const;
  // Appends what `id` adds to a text of which `bytes` has been read: its bytes, at the start of the
  // text maybe less. `*at_start` is true for the first token and kept by this function.
  void AppendToText(int32_t id, bool* at_start, std::string* bytes) const;

 private:
  struct Scratch;

  // The ids of text without added tokens that are searched before normalization.
  void EncodeSegment(const MarkedText& text, ByteRange segment, Scratch* scratch,
                     std::vector<int32_t>* ids) const;
  // The ids of bytes `within` of normalized text.
  void EncodeNormalized(const MarkedText& text, ByteRange within, bool at_start, Scratch* scratch,
                        std::vector<int32_t>* ids) const;
  // The ids of text without added tokens. `at_start`: it begins the whole text.
  void EncodePieces(absl::string_view text, bool at_start, Scratch* scratch,
                    std::vector<int32_t>* ids) const;

  const std::unique_ptr<const TokenizerParts> parts_;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_TOKENIZER_H_
