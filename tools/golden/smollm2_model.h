// Judges the forward pass of a real small model: logits, greedy answers, perplexity.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_SMOLLM2_MODEL_H_
#define SWITCHBOARD_TOOLS_GOLDEN_SMOLLM2_MODEL_H_

#include <string>

#include "tools/golden/data_folder.h"
#include "tools/golden/report.h"

namespace switchboard::golden {

// smollm2/chats.jsonl with logits.safetensors, and smollm2/perplexity.json, computed with the
// weights of the file `gguf`. The prompts' ids are taken as they are.
void JudgeSmollm2Model(const DataFolder& data, const std::string& gguf, Report* report);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_SMOLLM2_MODEL_H_
