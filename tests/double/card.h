// The card of a model that writes the time: its tokens are single bytes and the 100,000 stamps
// "@00000" to "@99999".
#ifndef SWITCHBOARD_TESTS_DOUBLE_CARD_H_
#define SWITCHBOARD_TESTS_DOUBLE_CARD_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "switchboard/v1/inference.pb.h"

namespace switchboard::doubles {

// Token ids: a byte is its own value, then come the stamps, then the end of text.
inline constexpr int32_t kFirstStamp = 256;
inline constexpr int32_t kStamps = 100'000;
inline constexpr int32_t kEndOfText = kFirstStamp + kStamps;
inline constexpr int32_t kVocabulary = kEndOfText + 1;

// The token of `time`: its place within the second, in steps of 10 us.
int32_t StampAt(absl::Time time);

// A byte-level tokenizer.json with the tokens above; it merges nothing.
std::string TokenizerJson();

v1::ModelCard MakeCard(const std::string& fingerprint, int32_t max_model_len);

}  // namespace switchboard::doubles

#endif  // SWITCHBOARD_TESTS_DOUBLE_CARD_H_
