// Judges tokenizers/NAME/: ids, decodings and incremental decodings.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_TOKENIZERS_H_
#define SWITCHBOARD_TOOLS_GOLDEN_TOKENIZERS_H_

#include <string>

#include "text/tokenizer/tokenizer.h"
#include "tools/golden/data_folder.h"
#include "tools/golden/report.h"

namespace switchboard::golden {

// Every folder in tokenizers/, with tokenizer.json, tokenizer.json.gz or qwen.tiktoken.gz as its
// vocabulary. A kind of tokenizer that the program does not read is skipped.
void JudgeTokenizers(const DataFolder& data, Report* report);

// The lines of `file` (vectors.jsonl, or smollm2/tokenizer.jsonl) against one tokenizer.
void JudgeVectors(const DataFolder& data, const std::string& file, const text::Tokenizer& tokenizer,
                  Report* report);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_TOKENIZERS_H_
