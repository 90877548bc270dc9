// Judges worker/model on images: patch rows, stages of the vision tower, positions, logits,
// continuations.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_VISION_MODELS_H_
#define SWITCHBOARD_TOOLS_GOLDEN_VISION_MODELS_H_

#include "tools/golden/data_folder.h"
#include "tools/golden/report.h"

namespace switchboard::golden {

// Every folder of models/ with the pictures of model_images/: one judgement per picture and stage,
// and per case and subject. Cases with video are skipped.
void JudgeVisionModels(const DataFolder& data, Report* report);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_VISION_MODELS_H_
