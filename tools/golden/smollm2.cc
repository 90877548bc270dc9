#include "tools/golden/smollm2.h"

#include "tools/golden/gguf_file.h"
#include "tools/golden/smollm2_model.h"
#include "tools/golden/smollm2_text.h"

namespace switchboard::golden {

void JudgeSmollm2(const DataFolder& data, const std::string& gguf, Report* report) {
  if (!data.Has("smollm2") && gguf.empty()) return;
  if (gguf.empty()) return report->Skip("smollm2", "no file was given (--gguf)");
  JudgeGgufFile(data, gguf, report);
  JudgeSmollm2Text(data, gguf, report);
  JudgeSmollm2Model(data, gguf, report);
}

}  // namespace switchboard::golden
