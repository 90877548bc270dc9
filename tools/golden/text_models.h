// Judges worker/model on text: logits, hidden states and greedy continuations of small checkpoints.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_TEXT_MODELS_H_
#define SWITCHBOARD_TOOLS_GOLDEN_TEXT_MODELS_H_

#include "tools/golden/data_folder.h"
#include "tools/golden/report.h"

namespace switchboard::golden {

// Every folder of models/: per prompt its logits, its hidden states where they are recorded, and
// its continuation.
void JudgeTextModels(const DataFolder& data, Report* report);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_TEXT_MODELS_H_
