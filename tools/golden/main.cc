// golden text|vision|model --data DIR [--base DIR] [--strict]: judges expected results of the
// reference implementations with the project's own code.
#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "base/command_line.h"
#include "tools/golden/data_folder.h"
#include "tools/golden/examples.h"
#include "tools/golden/images.h"
#include "tools/golden/report.h"
#include "tools/golden/smollm2.h"
#include "tools/golden/templates.h"
#include "tools/golden/text_models.h"
#include "tools/golden/tokenizers.h"
#include "tools/golden/vision_models.h"

ABSL_FLAG(std::string, data, "",
          "folder to judge, laid out as golden/text, golden/vision or models/examples");
ABSL_FLAG(std::string, base, "", "folder for files that --data lacks");
ABSL_FLAG(std::string, gguf, "", "text: GGUF file of SmolLM2 (see golden/text/smollm2)");
ABSL_FLAG(std::string, model, "models/autoglm-phone-tiny",
          "model: checkpoint folder of the examples");
ABSL_FLAG(bool, strict, false, "what is skipped counts as failed");

int main(int argc, char** argv) {
  using namespace switchboard::golden;
  const std::vector<std::string> words = switchboard::ParseCommandLine(argc, argv);
  const std::string what = words.size() == 1 ? words[0] : "";
  if (absl::GetFlag(FLAGS_data).empty() ||
      (what != "text" && what != "vision" && what != "model")) {
    std::fprintf(
        stderr,
        "usage: golden text|vision|model --data DIR [--base DIR] [--gguf FILE] [--strict]\n");
    return 2;
  }
  const DataFolder data(absl::GetFlag(FLAGS_data), absl::GetFlag(FLAGS_base));
  Report report;
  if (what == "text") {
    JudgeTokenizers(data, &report);
    JudgeTemplates(data, &report);
    JudgeTextModels(data, &report);
    JudgeSmollm2(data, absl::GetFlag(FLAGS_gguf), &report);
  } else if (what == "vision") {
    JudgeImages(data, &report);
    JudgeVisionModels(data, &report);
  } else {
    JudgeExamples(data, absl::GetFlag(FLAGS_model), &report);
  }
  return report.Close(absl::GetFlag(FLAGS_strict));
}
