#include "tools/golden/smollm2_text.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "text/chat/prompt.h"
#include "text/template/chat_template.h"
#include "text/tokenizer/gguf_vocabulary.h"
#include "text/tokenizer/tokenizer.h"
#include "tools/golden/json_row.h"
#include "tools/golden/tokenizers.h"
#include "worker/model/gguf.h"

namespace switchboard::golden {
namespace {

// Tokenizer and template of a file.
struct Subject {
  std::unique_ptr<const text::Tokenizer> tokenizer;
  std::unique_ptr<const text::ChatTemplate> chat_template;
};

template <typename T>
absl::Status Assign(const absl::StatusOr<std::optional<T>>& value, absl::optional<T>* to) {
  RETURN_IF_ERROR(value.status());
  if (value->has_value()) *to = **value;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<const text::Tokenizer>> TokenizerOf(
    const model::GgufMetadata& metadata) {
  const auto key = [](absl::string_view rest) { return absl::StrCat("tokenizer.ggml.", rest); };
  text::GgufVocabulary vocabulary;
  ASSIGN_OR_RETURN(const auto model, metadata.Text(key("model")));
  ASSIGN_OR_RETURN(const auto pre, metadata.Text(key("pre")));
  ASSIGN_OR_RETURN(const std::vector<absl::string_view> tokens, metadata.Texts(key("tokens")));
  ASSIGN_OR_RETURN(const std::vector<int32_t> types, metadata.Ints(key("token_type")));
  ASSIGN_OR_RETURN(const std::vector<float> scores, metadata.Floats(key("scores")));
  ASSIGN_OR_RETURN(const std::vector<absl::string_view> merges, metadata.Texts(key("merges")));
  vocabulary.model = model.value_or("");
  vocabulary.pre = pre.value_or("");
  vocabulary.tokens = tokens;
  vocabulary.types = types;
  vocabulary.scores = scores;
  vocabulary.merges = merges;
  RETURN_IF_ERROR(Assign(metadata.Int(key("bos_token_id")), &vocabulary.bos_id));
  RETURN_IF_ERROR(Assign(metadata.Int(key("eos_token_id")), &vocabulary.eos_id));
  RETURN_IF_ERROR(Assign(metadata.Int(key("unknown_token_id")), &vocabulary.unknown_id));
  RETURN_IF_ERROR(Assign(metadata.Bool(key("add_bos_token")), &vocabulary.add_bos));
  RETURN_IF_ERROR(Assign(metadata.Bool(key("add_eos_token")), &vocabulary.add_eos));
  RETURN_IF_ERROR(Assign(metadata.Bool(key("add_space_prefix")), &vocabulary.add_space_prefix));
  return text::Tokenizer::FromGguf(vocabulary);
}

absl::StatusOr<Subject> SubjectOf(const model::GgufMetadata& metadata) {
  Subject subject;
  ASSIGN_OR_RETURN(subject.tokenizer, TokenizerOf(metadata));
  ASSIGN_OR_RETURN(const auto source, metadata.Text("tokenizer.chat_template"));
  ASSIGN_OR_RETURN(subject.chat_template, text::ChatTemplate::Parse(source.value_or("")));
  return subject;
}

// From messages to ids.
absl::Status JudgePrompt(const JsonRow& chat, const Subject& subject) {
  ASSIGN_OR_RETURN(const Json* messages, chat.Find("messages"));
  ASSIGN_OR_RETURN(const std::string want, chat.Text("prompt"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids, chat.Ints("ids"));
  if (!messages->is_array()) return absl::InvalidArgumentError("messages is no list");
  text::ChatPromptInput input;
  input.messages = messages->as_array();
  ASSIGN_OR_RETURN(const text::ChatPrompt prompt,
                   text::RenderChat(*subject.chat_template, input, SystemClock()));
  if (prompt.text.text() != want) return absl::DataLossError("another prompt than expected");
  const std::vector<int32_t> got = subject.tokenizer->Encode(prompt.text, false);
  if (std::vector<int64_t>(got.begin(), got.end()) == ids) return absl::OkStatus();
  return absl::DataLossError("other ids than expected");
}

// From ids to the answer's text, which ends before the first end token.
absl::Status JudgeAnswer(const JsonRow& chat, const text::Tokenizer& tokenizer) {
  ASSIGN_OR_RETURN(std::vector<int64_t> numbers, chat.Ints("greedy"));
  ASSIGN_OR_RETURN(const Json* stop, chat.Find("first_stop"));
  ASSIGN_OR_RETURN(const std::string want, chat.Text("greedy_text"));
  if (!stop->is_null()) {
    ASSIGN_OR_RETURN(const int64_t length, chat.Int("first_stop"));
    if (length < 0 || length > static_cast<int64_t>(numbers.size())) {
      return absl::InvalidArgumentError("first_stop lies outside of greedy");
    }
    numbers.resize(static_cast<size_t>(length));
  }
  const std::vector<int32_t> ids(numbers.begin(), numbers.end());
  const std::string got = tokenizer.Decode(ids, /*skip_special=*/true);
  if (got == want) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("got the text ", SerializeJson(ToBoost(got))));
}

absl::Status JudgeChats(const DataFolder& data, const Subject& subject, Report* report) {
  ASSIGN_OR_RETURN(const std::vector<Json> chats, data.ReadJsonLines("smollm2/chats.jsonl"));
  for (size_t i = 0; i < chats.size(); ++i) {
    if (!chats[i].is_object()) return absl::InvalidArgumentError("a chat is no object");
    const JsonRow chat(chats[i].as_object());
    report->Judge(absl::StrCat("smollm2 chat ", i, " prompt"), JudgePrompt(chat, subject));
    report->Judge(absl::StrCat("smollm2 chat ", i, " answer"),
                  JudgeAnswer(chat, *subject.tokenizer));
  }
  return absl::OkStatus();
}

}  // namespace

void JudgeSmollm2Text(const DataFolder& data, const std::string& gguf, Report* report) {
  const auto model = model::GgufModel::Open(gguf);
  if (!model.ok()) return report->Fail("smollm2 text", model.status().message());
  const absl::StatusOr<Subject> subject = SubjectOf((*model)->content().metadata);
  if (!subject.ok()) return report->Fail("smollm2 text", subject.status().message());
  JudgeVectors(data, "smollm2/tokenizer.jsonl", *subject->tokenizer, report);
  if (absl::Status status = JudgeChats(data, *subject, report); !status.ok()) {
    report->Fail("smollm2 chats", status.message());
  }
}

}  // namespace switchboard::golden
