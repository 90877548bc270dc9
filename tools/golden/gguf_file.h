// Judges worker/model's GGUF reader on a real file: all metadata, the table of tensors, values.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_GGUF_FILE_H_
#define SWITCHBOARD_TOOLS_GOLDEN_GGUF_FILE_H_

#include <string>

#include "tools/golden/data_folder.h"
#include "tools/golden/report.h"

namespace switchboard::golden {

// smollm2/gguf.json and smollm2/dequantized.jsonl against the file `gguf`.
void JudgeGgufFile(const DataFolder& data, const std::string& gguf, Report* report);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_GGUF_FILE_H_
