#include <gtest/gtest.h>

#include "gateway/openai/reply_format.h"

namespace switchboard::openai {
namespace {

constexpr char kHead[] =
    R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,)"
    R"("model":"m","system_fingerprint":"b1","choices":[)";

std::string Event(const std::string& choice, const std::string& rest = "") {
  return kHead + choice + "]" + rest + "}\n\n";
}

std::unique_ptr<ReplyFormat> Stream(ReplyOptions options = {}) {
  return MakeChatStream({"chatcmpl-1", 1790000000, "m", "b1"}, options);
}

ReplyDelta Content(int choice, const char* text) {
  ReplyDelta delta;
  delta.choice = choice;
  delta.content = text;
  return delta;
}

const Usage kUsage = {9, 3, 4, 0};
constexpr char kUsageJson[] = R"({"prompt_tokens":9,"completion_tokens":3,"total_tokens":12,)"
                              R"("prompt_tokens_details":{"cached_tokens":4},)"
                              R"("completion_tokens_details":{"reasoning_tokens":0}})";

TEST(ChatStreamTest, OneChoiceFromRoleToDone) {
  auto stream = Stream();
  EXPECT_EQ(stream->Begin({}),
            Event(R"({"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,)"
                  R"("finish_reason":null})"));
  EXPECT_EQ(stream->Add(Content(0, "Hel"), {}),
            Event(R"({"index":0,"delta":{"content":"Hel"},"logprobs":null,"finish_reason":null})"));
  ReplyEnding ending;
  ending.finish_reason = "stop";
  EXPECT_EQ(stream->Finish(ending, {}),
            Event(R"({"index":0,"delta":{},"logprobs":null,"finish_reason":"stop",)"
                  R"("stop_reason":null})"));
  EXPECT_EQ(stream->End(kUsage), "data: [DONE]\n\n");
}

TEST(ChatStreamTest, RolesComeInIndexOrder) {
  ReplyOptions options;
  options.choices = 2;
  const std::string begin = Stream(options)->Begin({});
  EXPECT_LT(begin.find(R"("index":0)"), begin.find(R"("index":1)"));
  EXPECT_NE(begin.find(R"("index":1)"), std::string::npos);
}

TEST(ChatStreamTest, IncludeUsageGivesNullThenOneUsageChunk) {
  ReplyOptions options;
  options.include_usage = true;
  auto stream = Stream(options);
  EXPECT_EQ(stream->Add(Content(0, "x"), kUsage),
            Event(R"({"index":0,"delta":{"content":"x"},"logprobs":null,"finish_reason":null})",
                  R"(,"usage":null)"));
  EXPECT_EQ(stream->End(kUsage),
            Event("", std::string(R"(,"usage":)") + kUsageJson) + "data: [DONE]\n\n");
}

TEST(ChatStreamTest, ContinuousUsageIsOnEveryChunk) {
  ReplyOptions options;
  options.continuous_usage = true;
  EXPECT_EQ(Stream(options)->Add(Content(0, "x"), kUsage),
            Event(R"({"index":0,"delta":{"content":"x"},"logprobs":null,"finish_reason":null})",
                  std::string(R"(,"usage":)") + kUsageJson));
}

TEST(ChatStreamTest, ReasoningHasBothNames) {
  ReplyDelta delta;
  delta.reasoning = "hm";
  EXPECT_EQ(Stream()->Add(delta, {}),
            Event(R"({"index":0,"delta":{"reasoning_content":"hm","reasoning":"hm"},)"
                  R"("logprobs":null,"finish_reason":null})"));
}

TEST(ChatStreamTest, LogprobsRideWithTheirText) {
  ReplyOptions options;
  options.logprobs = true;
  ReplyDelta delta = Content(0, "A");
  delta.logprobs.push_back({{"A", "A", -0.5f}, {{"A", "A", -0.5f}, {"B", "B", -1.0f}}});
  EXPECT_EQ(Stream(options)->Add(delta, {}),
            Event(R"({"index":0,"delta":{"content":"A"},"logprobs":{"content":[{"token":"A",)"
                  R"("logprob":-0.5,"bytes":[65],"top_logprobs":[{"token":"A","logprob":-0.5,)"
                  R"("bytes":[65]},{"token":"B","logprob":-1,"bytes":[66]}]}],"refusal":null},)"
                  R"("finish_reason":null})"));
}

TEST(ChatStreamTest, StopReasonStandsInTheFinishChunk) {
  ReplyEnding ending;
  ending.choice = 1;
  ending.finish_reason = "stop";
  ending.stop_reason = 42;
  EXPECT_EQ(Stream()->Finish(ending, {}),
            Event(R"({"index":1,"delta":{},"logprobs":null,"finish_reason":"stop",)"
                  R"("stop_reason":42})"));
}

}  // namespace
}  // namespace switchboard::openai
