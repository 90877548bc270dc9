// The regular expressions that cut text in published byte-level tokenizers, as their files write
// them.
#ifndef SWITCHBOARD_TEXT_TOKENIZER_KNOWN_PATTERNS_H_
#define SWITCHBOARD_TEXT_TOKENIZER_KNOWN_PATTERNS_H_

namespace switchboard::text {

// GPT-2; what a ByteLevel pre-tokenizer brings along.
inline constexpr char kGpt2Pattern[] =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

// OpenAI's cl100k: Llama 3, GLM-4.
inline constexpr char kCl100kPattern[] =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|"
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

// Qwen, Qwen2: the same with digits one by one.
inline constexpr char kQwen2Pattern[] =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|"
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

}  // namespace switchboard::text

#endif  // SWITCHBOARD_TEXT_TOKENIZER_KNOWN_PATTERNS_H_
