// Decodes ids one by one: each character is handed out when its last byte has arrived.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_INCREMENTAL_DECODER_H_
#define SWITCHBOARD_TEXT_TOKENIZER_INCREMENTAL_DECODER_H_

#include <cstdint>
#include <string>

#include "text/tokenizer/tokenizer.h"

namespace switchboard::text {

// All texts handed out together are Tokenizer::Decode of the ids, and each is valid UTF-8. Bytes
// that prove ill-formed become U+FFFD at once. Not thread-safe.
class IncrementalDecoder {
 public:
  // `tokenizer` must outlive the decoder. With `skip_special` a special token adds nothing.
  IncrementalDecoder(const Tokenizer* tokenizer, bool skip_special)
      : tokenizer_(tokenizer), skip_special_(skip_special) {}

  // The text that can be shown now, maybe none.
  std::string Add(int32_t id);
  // U+FFFD for a character that is still incomplete. Afterwards the decoder is as new.
  std::string Finish();

 private:
  const Tokenizer* const tokenizer_;
  const bool skip_special_;
  std::string pending_;  // the beginning of one character, at most 3 bytes
  bool at_start_ = true;
};

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_INCREMENTAL_DECODER_H_
