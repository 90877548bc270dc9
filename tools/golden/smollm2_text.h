// Judges text/ on what a real GGUF file says about its tokenizer and its chat template.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_SMOLLM2_TEXT_H_
#define SWITCHBOARD_TOOLS_GOLDEN_SMOLLM2_TEXT_H_

#include <string>

#include "tools/golden/data_folder.h"
#include "tools/golden/report.h"

namespace switchboard::golden {

// smollm2/tokenizer.jsonl, and prompts, ids and answers of smollm2/chats.jsonl, with the vocabulary
// and the template of the file `gguf`.
void JudgeSmollm2Text(const DataFolder& data, const std::string& gguf, Report* report);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_SMOLLM2_TEXT_H_
