// Judges chat templates: golden/text/templates.
#ifndef SWITCHBOARD_TOOLS_GOLDEN_TEMPLATES_H_
#define SWITCHBOARD_TOOLS_GOLDEN_TEMPLATES_H_

#include "tools/golden/data_folder.h"
#include "tools/golden/report.h"

namespace switchboard::golden {

// templates/cases.jsonl and cases_real.jsonl (each template with each of conversations.json),
// snippets.jsonl and normalize.jsonl, as far as they are there. A row gives the expected `text`, or
// its `sha256` and `bytes`, or the `error` that is expected; of an error only a TemplateError's
// message must be the same.
void JudgeTemplates(const DataFolder& data, Report* report);

}  // namespace switchboard::golden

#endif  // SWITCHBOARD_TOOLS_GOLDEN_TEMPLATES_H_
