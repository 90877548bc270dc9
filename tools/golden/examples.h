// Judges a whole model on recorded conversations: token ids in, greedy token ids and text out.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_EXAMPLES_H_
#define SWITCHBOARD_TOOLS_GOLDEN_EXAMPLES_H_

#include "absl/strings/string_view.h"
#include "tools/golden/data_folder.h"
#include "tools/golden/report.h"

namespace switchboard::golden {

// demo.jsonl and examples.jsonl of `data`, run on the checkpoint in `model_dir`. A row is compared
// step by step while the reference was sure of its choice; where it was sure to the end, the text
// must be equal too. One judgement more: at least 95 of 100 steps were compared.
void JudgeExamples(const DataFolder& data, absl::string_view model_dir, Report* report);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_EXAMPLES_H_
