#include <gtest/gtest.h>

#include <limits>

#include "gateway/openai/error.h"
#include "gateway/openai/model_list.h"
#include "gateway/openai/reply_format.h"

namespace switchboard::openai {
namespace {

const ReplyIdentity kIdentity = {"id-1", 1790000000, "m", "b1"};
const Usage kUsage = {12, 5, 0, 2};
constexpr char kUsageJson[] =
    R"("usage":{"prompt_tokens":12,"completion_tokens":5,"total_tokens":17,)"
    R"("prompt_tokens_details":{"cached_tokens":0},)"
    R"("completion_tokens_details":{"reasoning_tokens":2}}})";

ReplyDelta Delta(int choice, const char* reasoning, const char* content) {
  ReplyDelta delta;
  delta.choice = choice;
  delta.reasoning = reasoning;
  delta.content = content;
  return delta;
}

ReplyEnding Ending(int choice, const char* reason) {
  ReplyEnding ending;
  ending.choice = choice;
  ending.finish_reason = reason;
  return ending;
}

LogprobEntry Entry(const char* text, float logprob, std::vector<TokenLogprob> top = {}) {
  return {{text, text, logprob}, std::move(top)};
}

TEST(ChatReplyTest, GathersItsPartsIntoOneObject) {
  auto reply = MakeChatReply(kIdentity, {});
  EXPECT_EQ(reply->Begin({}), "");
  EXPECT_EQ(reply->Add(Delta(0, "", "Hel"), {}), "");
  EXPECT_EQ(reply->Add(Delta(0, "", "lo"), {}), "");
  EXPECT_EQ(reply->Finish(Ending(0, "length"), {}), "");
  EXPECT_EQ(reply->End(kUsage),
            std::string(R"({"id":"id-1","object":"chat.completion","created":1790000000,)"
                        R"("model":"m","system_fingerprint":"b1","choices":[{"index":0,"message":)"
                        R"({"role":"assistant","content":"Hello","refusal":null},"logprobs":null,)"
                        R"("finish_reason":"length","stop_reason":null}],)") +
                kUsageJson);
}

TEST(ChatReplyTest, ChoicesKeepTheirOrderHoweverTheyEnd) {
  ReplyOptions options;
  options.choices = 2;
  auto reply = MakeChatReply(kIdentity, options);
  reply->Add(Delta(1, "", "b"), {});
  reply->Finish(Ending(1, "stop"), {});
  reply->Add(Delta(0, "", "a"), {});
  reply->Finish(Ending(0, "length"), {});
  const std::string body = reply->End(kUsage);
  EXPECT_NE(body.find(R"({"index":0,"message":{"role":"assistant","content":"a","refusal":null},)"
                      R"("logprobs":null,"finish_reason":"length","stop_reason":null},)"
                      R"({"index":1,"message":{"role":"assistant","content":"b","refusal":null},)"
                      R"("logprobs":null,"finish_reason":"stop","stop_reason":null})"),
            std::string::npos)
      << body;
}

TEST(ChatReplyTest, ReasoningHasBothNamesAndContentMayBeEmpty) {
  auto reply = MakeChatReply(kIdentity, {});
  reply->Add(Delta(0, "hm", ""), {});
  reply->Finish(Ending(0, "length"), {});
  EXPECT_NE(reply->End(kUsage).find(R"("message":{"role":"assistant","content":"","refusal":null,)"
                                    R"("reasoning_content":"hm","reasoning":"hm"})"),
            std::string::npos);
}

TEST(ChatReplyTest, ImpossibleTokensHaveTheLeastLogprob) {
  ReplyOptions options;
  options.logprobs = true;
  auto reply = MakeChatReply(kIdentity, options);
  ReplyDelta delta = Delta(0, "", "\xE4\xBD\xA0");
  delta.logprobs = {{{"\xEF\xBF\xBD", "\xE4\xBD", -std::numeric_limits<float>::infinity()}, {}},
                    {{"\xEF\xBF\xBD", "\xA0", -0.0f}, {}}};
  reply->Add(delta, {});
  reply->Finish(Ending(0, "stop"), {});
  EXPECT_NE(reply->End(kUsage).find(
                "\"logprobs\":{\"content\":[{\"token\":\"\xEF\xBF\xBD\",\"logprob\":-9999,"
                "\"bytes\":[228,189],\"top_logprobs\":[]},{\"token\":\"\xEF\xBF\xBD\","
                "\"logprob\":0,\"bytes\":[160],\"top_logprobs\":[]}],\"refusal\":null}"),
            std::string::npos);
}

TEST(CompletionReplyTest, TextAndEchoWithParallelLogprobArrays) {
  ReplyOptions options;
  options.logprobs = true;
  auto reply = MakeCompletionReply(kIdentity, options);
  reply->Begin({});
  ReplyDelta delta = Delta(0, "", "\xE4\xBD\xA0 b");
  // The second token was not the likeliest: it joins its alternatives.
  delta.logprobs = {Entry("\xE4\xBD\xA0", -0.5f, {{"\xE4\xBD\xA0", "\xE4\xBD\xA0", -0.5f}}),
                    Entry(" b", -2.0f, {{" c", " c", -0.25f}})};
  reply->Add(delta, {});
  reply->Finish(Ending(0, "stop"), {});
  EXPECT_EQ(
      reply->End(kUsage),
      std::string("{\"id\":\"id-1\",\"object\":\"text_completion\",\"created\":1790000000,"
                  "\"model\":\"m\",\"system_fingerprint\":\"b1\",\"choices\":[{\"index\":0,"
                  "\"text\":\"\xE4\xBD\xA0 b\",\"logprobs\":{\"tokens\":[\"\xE4\xBD\xA0\","
                  "\" b\"],\"token_logprobs\":[-0.5,-2],\"top_logprobs\":["
                  "{\"\xE4\xBD\xA0\":-0.5},{\" c\":-0.25,\" b\":-2}],"
                  "\"text_offset\":[0,1]},\"finish_reason\":\"stop\",\"stop_reason\":null}],") +
          kUsageJson);
}

TEST(CompletionReplyTest, EchoStandsBeforeEveryChoice) {
  ReplyOptions options;
  options.choices = 2;
  options.echo = "Once";
  auto reply = MakeCompletionReply(kIdentity, options);
  reply->Begin({});
  reply->Add(Delta(0, "", " a"), {});
  reply->Finish(Ending(0, "stop"), {});
  reply->Finish(Ending(1, "stop"), {});
  const std::string body = reply->End(kUsage);
  EXPECT_NE(body.find(R"("text":"Once a")"), std::string::npos);
  EXPECT_NE(body.find(R"("text":"Once")"), std::string::npos);
}

TEST(CompletionStreamTest, ChunksHaveNoRoleAndOffsetsGoOn) {
  ReplyOptions options;
  options.logprobs = true;
  auto stream = MakeCompletionStream(kIdentity, options);
  EXPECT_EQ(stream->Begin({}), "");
  ReplyDelta delta = Delta(0, "", "ab");
  delta.logprobs = {Entry("ab", -0.5f)};
  const std::string head =
      R"(data: {"id":"id-1","object":"text_completion","created":1790000000,"model":"m",)"
      R"("system_fingerprint":"b1","choices":[)";
  EXPECT_EQ(stream->Add(delta, {}),
            head +
                R"({"index":0,"text":"ab","logprobs":{"tokens":["ab"],"token_logprobs":[-0.5],)"
                R"("top_logprobs":[{"ab":-0.5}],"text_offset":[0]},"finish_reason":null}]})" +
                "\n\n");
  EXPECT_NE(stream->Add(delta, {}).find(R"("text_offset":[2])"), std::string::npos);
  EXPECT_EQ(stream->Finish(Ending(0, "stop"), {}),
            head +
                R"({"index":0,"text":"","logprobs":null,"finish_reason":"stop",)"
                R"("stop_reason":null}]})" +
                "\n\n");
  EXPECT_EQ(stream->End(kUsage), "data: [DONE]\n\n");
}

TEST(ModelListTest, HasOneObjectPerName) {
  const ModelEntry kModel = {"autoglm-phone-9b", "AutoGLM-Phone-9B", 1790000000, 25480};
  const std::string one =
      R"({"id":"autoglm-phone-9b","object":"model","created":1790000000,"owned_by":"switchboard",)"
      R"("root":"AutoGLM-Phone-9B","parent":null,"permission":[],"max_model_len":25480})";
  EXPECT_EQ(ModelJson(kModel), one);
  EXPECT_EQ(ModelListJson({&kModel, 1}), R"({"object":"list","data":[)" + one + "]}");
}

TEST(ModelListTest, UnknownModelErrorHasItsName) {
  EXPECT_NE(ToErrorReply(ModelNotFound("gpt-9")).body.find("`gpt-9` does not exist"),
            std::string::npos);
}

TEST(SystemFingerprintTest, StartsWithBAndFollowsTheModel) {
  const std::string one = SystemFingerprint("f1");
  EXPECT_EQ(one.size(), 9u);
  EXPECT_EQ(one[0], 'b');
  EXPECT_EQ(one, SystemFingerprint("f1"));
  EXPECT_NE(one, SystemFingerprint("f2"));
}

}  // namespace
}  // namespace switchboard::openai
