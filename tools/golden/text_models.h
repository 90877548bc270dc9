// Judges worker/model on text: logits, hidden states and greedy continuations of small checkpoints.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_TEXT_MODELS_H_
#define SWITCHBOARD_TOOLS_GOLDEN_TEXT_MODELS_H_

#include "absl/strings/string_view.h"
#include "tools/golden/data_folder.h"
#include "tools/golden/report.h"

namespace switchboard::golden {

// Every folder of models/: per prompt its logits, its hidden states where they are recorded, and
// its continuation. Families that are not supported yet are skipped, and so is smollm2, whose
// weights are a GGUF file (`gguf`).
void JudgeTextModels(const DataFolder& data, absl::string_view gguf, Report* report);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_TEXT_MODELS_H_
