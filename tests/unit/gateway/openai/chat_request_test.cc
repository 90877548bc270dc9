#include "gateway/openai/chat_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/types/span.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/gateway/openai/error_case.h"

namespace switchboard::openai {
namespace {

using testing::ElementsAre;

constexpr char kBase[] = R"({"model": "m", "messages": [{"role": "user", "content": "Hi"}]})";

ChatRequest Read(const char* fields) {
  const JsonObject body = With(kBase, fields);
  absl::StatusOr<ChatRequest> request = ReadChatRequest(body);
  EXPECT_THAT(request, IsOk()) << fields;
  // Views into `body` end here: these tests look at no image.
  request->conversation.images.clear();
  return *std::move(request);
}

TEST(ChatRequestTest, DefaultsWhenOnlyMessagesAreGiven) {
  const ChatRequest r = Read("{}");
  EXPECT_EQ(r.model, "m");
  EXPECT_EQ(r.sampling.temperature, std::nullopt);
  EXPECT_EQ(r.sampling.max_tokens, std::nullopt);
  EXPECT_EQ(r.sampling.seed, std::nullopt);
  EXPECT_EQ(r.sampling.choices, 1);
  EXPECT_FALSE(r.output.stream);
  EXPECT_TRUE(r.output.skip_special_tokens);
  EXPECT_TRUE(r.add_generation_prompt);
  EXPECT_FALSE(r.continue_final_message);
  EXPECT_EQ(r.reasoning, ReasoningOutput::kModelDefault);
  EXPECT_TRUE(r.template_variables.empty());
  EXPECT_EQ(r.ignored_fields, 0);
}

void ExpectRefused(absl::Span<const ErrorCase> cases) {
  for (const ErrorCase& c : cases) {
    const JsonObject body = With(kBase, c.fields);
    EXPECT_EQ(Verdict(ReadChatRequest(body).status()), Expected(c)) << c.fields;
  }
}

TEST(ChatRequestTest, WrongStandardFieldsAreRefusedByName) {
  ExpectRefused({
      {R"({"model": 7})", "model", "invalid_type"},
      {R"({"messages": null})", "messages", "missing_required_parameter"},
      {R"({"messages": "hi"})", "messages", "invalid_type"},
      {R"({"messages": {}})", "messages", "invalid_type"},
      {R"({"messages": []})", "messages", "empty_array"},
      {R"({"stream": "true"})", "stream", "invalid_type"},
      {R"({"stream": 1})", "stream", "invalid_type"},
      {R"({"stream_options": {"include_usage": true}})", "stream_options", "invalid_value"},
      {R"({"stream_options": {"include_usage": null}})", "stream_options", "invalid_value"},
      {R"({"stream": true, "stream_options": "x"})", "stream_options", "invalid_type"},
      {R"({"stream": true, "stream_options": {"include_usage": 1}})",
       "stream_options.include_usage", "invalid_type"},
      {R"({"temperature": -1})", "temperature", "invalid_value"},
      {R"({"temperature": 2.1})", "temperature", "invalid_value"},
      {R"({"temperature": "1"})", "temperature", "invalid_type"},
      {R"({"temperature": true})", "temperature", "invalid_type"},
      {R"({"top_p": 1.5})", "top_p", "invalid_value"},
      {R"({"top_p": -0.1})", "top_p", "invalid_value"},
      {R"({"max_tokens": 0})", "max_tokens", "integer_below_min_value"},
      {R"({"max_tokens": -5})", "max_tokens", "integer_below_min_value"},
      {R"({"max_tokens": 2.5})", "max_tokens", "invalid_type"},
      {R"({"max_tokens": "5"})", "max_tokens", "invalid_type"},
      {R"({"max_tokens": true})", "max_tokens", "invalid_type"},
      {R"({"max_tokens": 1e100})", "max_tokens", "integer_above_max_value"},
      {R"({"max_completion_tokens": 0})", "max_completion_tokens", "integer_below_min_value"},
      {R"({"n": 0})", "n", "integer_below_min_value"},
      {R"({"n": 129})", "n", "integer_above_max_value"},
      {R"({"n": 1.5})", "n", "invalid_type"},
      {R"({"stop": 7})", "stop", "invalid_type"},
      {R"({"stop": ""})", "stop", "invalid_value"},
      {R"({"stop": ["a", ""]})", "stop[1]", "invalid_value"},
      {R"({"stop": ["a", null]})", "stop[1]", "invalid_type"},
      {R"({"stop": ["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17"]})",
       "stop", "array_above_max_length"},
      {R"({"frequency_penalty": 2.1})", "frequency_penalty", "invalid_value"},
      {R"({"presence_penalty": -2.1})", "presence_penalty", "invalid_value"},
      {R"({"repetition_penalty": 0})", "repetition_penalty", "invalid_value"},
      {R"({"repeat_penalty": -1})", "repeat_penalty", "invalid_value"},
      {R"({"top_k": -2})", "top_k", "integer_below_min_value"},
      {R"({"top_k": "x"})", "top_k", "invalid_type"},
      {R"({"min_p": 2})", "min_p", "invalid_value"},
      {R"({"logit_bias": "x"})", "logit_bias", "invalid_type"},
      {R"({"logit_bias": {"abc": 1}})", "logit_bias", "invalid_value"},
      {R"({"logit_bias": {"-1": 1}})", "logit_bias", "invalid_value"},
      {R"({"logit_bias": {"": 1}})", "logit_bias", "invalid_value"},
      {R"({"logit_bias": {"0": "x"}})", "logit_bias", "invalid_type"},
      {R"({"logprobs": 3})", "logprobs", "invalid_type"},
      {R"({"top_logprobs": 3})", "top_logprobs", "invalid_value"},
      {R"({"logprobs": true, "top_logprobs": 21})", "top_logprobs", "integer_above_max_value"},
      {R"({"logprobs": true, "top_logprobs": -1})", "top_logprobs", "integer_below_min_value"},
      {R"({"logprobs": true, "top_logprobs": 1.5})", "top_logprobs", "invalid_type"},
      {R"({"seed": "x"})", "seed", "invalid_type"},
      {R"({"seed": 1.5})", "seed", "invalid_type"},
      {R"({"seed": 9223372036854775808})", "seed", "integer_above_max_value"},
  });
}

TEST(ChatRequestTest, WrongExtensionsAreRefusedByName) {
  ExpectRefused({
      {R"({"min_tokens": -1})", "min_tokens", "integer_below_min_value"},
      {R"({"stop_token_ids": ["x"]})", "stop_token_ids[0]", "invalid_type"},
      {R"({"stop_token_ids": [-1]})", "stop_token_ids[0]", "integer_below_min_value"},
      {R"({"ignore_eos": 1})", "ignore_eos", "invalid_type"},
      {R"({"skip_special_tokens": "no"})", "skip_special_tokens", "invalid_type"},
      {R"({"return_reasoning": "yes"})", "return_reasoning", "invalid_type"},
      {R"({"enable_thinking": "yes"})", "enable_thinking", "invalid_type"},
      {R"({"reasoning_effort": "galactic"})", "reasoning_effort", "invalid_value"},
      {R"({"reasoning_effort": 7})", "reasoning_effort", "invalid_type"},
      {R"({"chat_template_kwargs": ["x"]})", "chat_template_kwargs", "invalid_type"},
      {R"({"chat_template_kwargs": {"messages": 1}})", "chat_template_kwargs.messages",
       "invalid_value"},
      {R"({"continue_final_message": true})", "continue_final_message", "invalid_value"},
      {R"({"continue_final_message": true, "add_generation_prompt": true})",
       "continue_final_message", "invalid_value"},
      {R"({"truncate_prompt_tokens": 0})", "truncate_prompt_tokens", "integer_below_min_value"},
      {R"({"truncate_prompt_tokens": -5})", "truncate_prompt_tokens", "integer_below_min_value"},
      {R"({"request_id": ""})", "request_id", "invalid_value"},
      {R"({"request_id": "a b"})", "request_id", "invalid_value"},
      {R"({"user": 7})", "user", "invalid_type"},
      {R"({"store": "x"})", "store", "invalid_type"},
      {R"({"metadata": {"a": 1}})", "metadata", "invalid_type"},
      {R"({"reasoning_format": "prose"})", "reasoning_format", "unsupported_value"},
      {R"({"cache_salt": ""})", "cache_salt", "invalid_value"},
      {R"({"extra_key": ""})", "extra_key", "invalid_value"},
      {R"({"images": "x"})", "images", "invalid_type"},
      {R"({"images": [7]})", "images[0]", "invalid_type"},
  });
}

TEST(ChatRequestTest, WhatIsNotBuiltIsRefusedNotDropped) {
  ExpectRefused({
      {R"({"tools": "x"})", "tools", "invalid_type"},
      {R"({"tools": [{"type": "function", "function": {"name": "f"}}]})", "tools",
       "unsupported_parameter"},
      {R"({"functions": [{"name": "f"}]})", "functions", "unsupported_parameter"},
      {R"({"tool_choice": "required"})", "tool_choice", "unsupported_parameter"},
      {R"({"tool_choice": "sometimes"})", "tool_choice", "invalid_value"},
      {R"({"tool_choice": {"type": "function", "function": {"name": "f"}}})", "tool_choice",
       "unsupported_parameter"},
      {R"({"response_format": "json"})", "response_format", "invalid_type"},
      {R"({"response_format": {}})", "response_format.type", "missing_required_parameter"},
      {R"({"response_format": {"type": "sound"}})", "response_format.type", "invalid_value"},
      {R"({"response_format": {"type": "json_object"}})", "response_format",
       "unsupported_parameter"},
      {R"({"response_format": {"type": "json_schema"}})", "response_format",
       "unsupported_parameter"},
      {R"({"structured_outputs": {"choice": ["a"]}})", "structured_outputs",
       "unsupported_parameter"},
      {R"({"guided_json": {}})", "guided_json", "unsupported_parameter"},
      {R"({"guided_regex": "a"})", "guided_regex", "unsupported_parameter"},
      {R"({"guided_choice": []})", "guided_choice", "unsupported_parameter"},
      {R"({"guided_grammar": "x"})", "guided_grammar", "unsupported_parameter"},
      {R"({"regex": "a"})", "regex", "unsupported_parameter"},
      {R"({"ebnf": "a"})", "ebnf", "unsupported_parameter"},
      {R"({"grammar": "a"})", "grammar", "unsupported_parameter"},
      {R"({"json_schema": {}})", "json_schema", "unsupported_parameter"},
      {R"({"prompt_logprobs": 1})", "prompt_logprobs", "unsupported_parameter"},
      {R"({"prompt_logprobs": -1})", "prompt_logprobs", "unsupported_parameter"},
      {R"({"modalities": ["text", "audio"]})", "modalities", "unsupported_parameter"},
      {R"({"modalities": ["smell"]})", "modalities[0]", "invalid_value"},
      {R"({"audio": {"voice": "x"}})", "audio", "unsupported_parameter"},
      {R"({"web_search_options": {}})", "web_search_options", "unsupported_parameter"},
      {R"({"use_beam_search": true})", "use_beam_search", "unsupported_parameter"},
      {R"({"best_of": 2})", "best_of", "unsupported_parameter"},
      {R"({"allowed_token_ids": []})", "allowed_token_ids", "unsupported_parameter"},
      {R"({"media_io_kwargs": {"fps": 1}})", "media_io_kwargs", "unsupported_parameter"},
      {R"({"bad_words": ["x"]})", "bad_words", "unsupported_parameter"},
      {R"({"chat_template": "x"})", "chat_template", "feature_disabled", 403},
      {R"({"thinking_token_budget": 5})", "thinking_token_budget", "unsupported_parameter"},
      {R"({"mm_processor_kwargs": {"max_pixels": 5}})", "mm_processor_kwargs",
       "unsupported_parameter"},
      {R"({"echo": true})", "echo", "unsupported_parameter"},
  });
}

TEST(ChatRequestTest, WhatAsksForNothingPasses) {
  for (const char* fields :
       {R"({"tools": [], "tool_choice": "none", "functions": []})", R"({"tool_choice": "auto"})",
        R"({"response_format": {"type": "text"}})", R"({"prompt_logprobs": 0})",
        R"({"modalities": ["text"]})", R"({"use_beam_search": false})", R"({"n": 2, "best_of": 2})",
        R"({"mm_processor_kwargs": {}, "media_io_kwargs": {}})", R"({"bad_words": []})",
        R"({"cache_salt": "a"})", R"({"logprobs": false})", R"({"top_logprobs": 0})",
        R"({"stop": []})",
        R"({"stop": null, "tools": null, "tool_choice": null, "stream_options": null,
            "response_format": null, "logit_bias": null, "n": null, "stream": null, "seed": null,
            "user": null, "max_tokens": null, "guided_json": null})"}) {
    const JsonObject body = With(kBase, fields);
    EXPECT_EQ(Verdict(ReadChatRequest(body).status()), "ok") << fields;
  }
}

TEST(ChatRequestTest, UnknownFieldsAreIgnoredAndCounted) {
  EXPECT_EQ(
      Read(R"({"no_such_field": 1, "guided_decoding_backend": "x", "z": null})").ignored_fields, 2);
}

TEST(ChatRequestTest, MaxCompletionTokensWins) {
  EXPECT_EQ(Read(R"({"max_tokens": 9, "max_completion_tokens": 4})").sampling.max_tokens, 4);
  EXPECT_EQ(Read(R"({"max_tokens": 9, "max_completion_tokens": null})").sampling.max_tokens, 9);
  EXPECT_EQ(Read(R"({"max_tokens": -1})").sampling.max_tokens, std::nullopt);
  EXPECT_EQ(Read(R"({"max_tokens": 8.0})").sampling.max_tokens, 8);
}

TEST(ChatRequestTest, TheMaximumHasTheNameThatTheClientUsed) {
  EXPECT_EQ(Read(R"({"max_completion_tokens": 3, "max_tokens": 5})").sampling.max_tokens_param,
            "max_completion_tokens");
  EXPECT_EQ(Read(R"({"max_completion_tokens": -1, "max_tokens": 5})").sampling.max_tokens_param,
            "max_tokens");
  EXPECT_EQ(Read("{}").sampling.prompt_param, "messages");
}

TEST(ChatRequestTest, ALogitBiasBeyondTheLimitIsRefused) {
  JsonObject bias;
  for (int i = 0; i < kMaxLogitBias; ++i) bias[std::to_string(i)] = 1;
  JsonObject body = With(kBase, "{}");
  body["logit_bias"] = bias;
  EXPECT_EQ(Verdict(ReadChatRequest(body).status()), "ok");
  bias["1024"] = 1;
  body["logit_bias"] = bias;
  const absl::Status status = ReadChatRequest(body).status();
  EXPECT_EQ(Verdict(status), "400 array_above_max_length logit_bias");
  EXPECT_EQ(status.message(), "'logit_bias' may have at most 1024 items, not 1025.");
}

TEST(ChatRequestTest, SamplingFieldsAreRead) {
  const SamplingFields s =
      Read(R"({"temperature": 0.5, "top_p": 0, "top_k": -1, "min_p": 0.25, "n": 3, "seed": -2,
               "repeat_penalty": 1.5, "frequency_penalty": 0.5, "presence_penalty": -0.5,
               "logit_bias": {"7": 101, "3": -1.5}, "min_tokens": 2, "ignore_eos": true,
               "stop_token_ids": [5, 6]})")
          .sampling;
  EXPECT_EQ(s.temperature, 0.5);
  EXPECT_EQ(s.top_p, 0.0);
  EXPECT_EQ(s.top_k, 0);
  EXPECT_EQ(s.min_p, 0.25);
  EXPECT_EQ(s.choices, 3);
  EXPECT_EQ(s.seed, 0xFFFFFFFFFFFFFFFEu);
  EXPECT_EQ(s.repetition_penalty, 1.5);
  EXPECT_EQ(s.frequency_penalty, 0.5);
  EXPECT_EQ(s.presence_penalty, -0.5);
  EXPECT_THAT(s.logit_bias, ElementsAre(std::pair(3, -1.5), std::pair(7, 100.0)));
  EXPECT_EQ(s.min_tokens, 2);
  EXPECT_TRUE(s.ignore_eos);
  EXPECT_THAT(s.stop_token_ids, ElementsAre(5, 6));
}

TEST(ChatRequestTest, SeedMinusOneIsNoSeed) {
  EXPECT_EQ(Read(R"({"seed": -1})").sampling.seed, std::nullopt);
  EXPECT_EQ(Read(R"({"seed": 0})").sampling.seed, 0u);
}

TEST(ChatRequestTest, OutputFieldsAreRead) {
  const OutputFields o = Read(R"({"stream": true, "stream_options": {"include_usage": true,
               "continuous_usage_stats": true, "include_obfuscation": false}, "stop": "END",
               "include_stop_str_in_output": true, "skip_special_tokens": false,
               "return_tokens_as_token_ids": true, "request_id": "abc"})")
                             .output;
  EXPECT_TRUE(o.stream && o.include_usage && o.continuous_usage && o.include_stop);
  EXPECT_FALSE(o.skip_special_tokens);
  EXPECT_TRUE(o.tokens_as_ids);
  EXPECT_THAT(o.stop, ElementsAre("END"));
  EXPECT_EQ(o.request_id, "abc");
}

TEST(ChatRequestTest, ReasoningOutputFollowsTheStrongestWish) {
  EXPECT_EQ(Read(R"({"return_reasoning": true})").reasoning, ReasoningOutput::kSplit);
  EXPECT_EQ(Read(R"({"return_reasoning": false})").reasoning, ReasoningOutput::kDrop);
  EXPECT_EQ(Read(R"({"include_reasoning": false})").reasoning, ReasoningOutput::kDrop);
  EXPECT_EQ(Read(R"({"include_reasoning": true})").reasoning, ReasoningOutput::kModelDefault);
  EXPECT_EQ(Read(R"({"separate_reasoning": false})").reasoning, ReasoningOutput::kInline);
  EXPECT_EQ(Read(R"({"separate_reasoning": true})").reasoning, ReasoningOutput::kSplit);
  EXPECT_EQ(Read(R"({"reasoning_format": "none"})").reasoning, ReasoningOutput::kInline);
  EXPECT_EQ(Read(R"({"reasoning_format": "deepseek"})").reasoning, ReasoningOutput::kSplit);
  EXPECT_EQ(Read(R"({"reasoning_format": "auto"})").reasoning, ReasoningOutput::kModelDefault);
  EXPECT_EQ(Read(R"({"return_reasoning": true, "include_reasoning": false})").reasoning,
            ReasoningOutput::kSplit);
}

TEST(ChatRequestTest, ExplicitTemplateVariablesWin) {
  EXPECT_EQ(SerializeJson(Read(R"({"enable_thinking": true})").template_variables),
            R"({"enable_thinking":true})");
  EXPECT_EQ(SerializeJson(Read(R"({"reasoning_effort": "none"})").template_variables),
            R"({"reasoning_effort":"none","enable_thinking":false})");
  EXPECT_EQ(
      SerializeJson(
          Read(R"({"reasoning_effort": "none", "enable_thinking": true})").template_variables),
      R"({"reasoning_effort":"none","enable_thinking":true})");
  EXPECT_EQ(SerializeJson(Read(R"({"enable_thinking": true,
                                   "chat_template_kwargs": {"enable_thinking": false, "x": 1}})")
                              .template_variables),
            R"({"enable_thinking":false,"x":1})");
}

TEST(ChatRequestTest, ContinuingTheLastMessageOpensNoTurn) {
  const char* kFields =
      R"({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "A"}],
          "continue_final_message": true})";
  EXPECT_TRUE(Read(kFields).continue_final_message);
  EXPECT_FALSE(Read(kFields).add_generation_prompt);
  const char* kPrefix = R"({"messages": [{"role": "assistant", "content": "A", "prefix": true}]})";
  EXPECT_TRUE(Read(kPrefix).continue_final_message);
  EXPECT_FALSE(Read(R"({"add_generation_prompt": false})").add_generation_prompt);
}

}  // namespace
}  // namespace switchboard::openai
