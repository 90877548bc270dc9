// Judges everything on a real small model in GGUF: the file, its tokenizer, its answers.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_SMOLLM2_H_
#define SWITCHBOARD_TOOLS_GOLDEN_SMOLLM2_H_

#include <string>

#include "tools/golden/data_folder.h"
#include "tools/golden/report.h"

namespace switchboard::golden {

// The folder smollm2/ against the file `gguf`, whose size and digest the folder names; skipped when
// `gguf` is empty.
void JudgeSmollm2(const DataFolder& data, const std::string& gguf, Report* report);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_SMOLLM2_H_
