// Judges media/: sizes, decoded and resized pixels, patch rows, placeholder counts and refusals.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_IMAGES_H_
#define SWITCHBOARD_TOOLS_GOLDEN_IMAGES_H_

#include "tools/golden/data_folder.h"
#include "tools/golden/report.h"

namespace switchboard::golden {

// Every row of images.jsonl, with its pixels in decoded.safetensors and processed.safetensors, and
// every row of smart_resize.jsonl. One judgement per image and subject; formats that are not
// decoded yet are skipped.
void JudgeImages(const DataFolder& data, Report* report);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_IMAGES_H_
