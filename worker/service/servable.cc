#include "worker/service/servable.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "text/template/chat_template.h"
#include "text/tokenizer/tokenizer.h"

namespace switchboard::worker {
namespace {

absl::Status CheckTokenizer(const ModelFiles& files, int rows) {
  const absl::StatusOr<std::unique_ptr<const text::Tokenizer>> tokenizer =
      text::Tokenizer::FromJson(files.tokenizer_json);
  if (!tokenizer.ok()) return Annotate(tokenizer.status(), "tokenizer");
  if (files.usable_vocab > rows) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the tokenizer has ids up to ", files.usable_vocab - 1, ", the model has ", rows, " rows"));
  }
  return absl::OkStatus();
}

absl::Status CheckTemplate(const ModelFiles& files) {
  if (!IsValidUtf8(files.chat_template)) {
    return absl::InvalidArgumentError("the chat template is not UTF-8");
  }
  return text::ChatTemplate::Parse(files.chat_template).status();
}

}  // namespace

absl::Status CheckServable(const ModelFiles& files, int rows) {
  RETURN_IF_ERROR(CheckTokenizer(files, rows));
  RETURN_IF_ERROR(CheckTemplate(files));
  if (!IsValidUtf8(files.bos_token) || !IsValidUtf8(files.eos_token)) {
    return absl::InvalidArgumentError("the text of bos_token or eos_token is not UTF-8");
  }
  return absl::OkStatus();
}

}  // namespace switchboard::worker
