// return_token_ids: the ids of prompt and answer beside the texts, in all four forms of a reply.
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "gateway/openai/reply_format.h"

namespace switchboard::openai {
namespace {

ReplyIdentity Someone() {
  ReplyIdentity identity;
  identity.id = "x";
  identity.created = 1;
  identity.model = "m";
  identity.system_fingerprint = "b0";
  return identity;
}

ReplyOptions WithIds() {
  ReplyOptions options;
  options.token_ids = true;
  options.prompt_ids = {7, 8};
  return options;
}

// A token with text, one held back, and the end token.
std::string Play(std::unique_ptr<ReplyFormat> format) {
  ReplyDelta delta;
  delta.content = "hi";
  delta.token_ids = {3, 4};
  ReplyEnding ending;
  ending.finish_reason = "stop";
  ending.token_ids = {9};
  const Usage usage;
  std::string out = format->Begin(usage);
  out += format->Add(delta, usage);
  out += format->Finish(ending, usage);
  out += format->End(usage);
  // What is the same in every chunk stands in other tests.
  return absl::StrReplaceAll(out, {{R"(,"created":1,"model":"m","system_fingerprint":"b0")", ""}});
}

TEST(TokenIds, StandAtTheTopAndInTheChoicesOfAChatReply) {
  EXPECT_EQ(
      Play(MakeChatReply(Someone(), WithIds())),
      R"({"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",)"
      R"("content":"hi","refusal":null},"logprobs":null,"finish_reason":"stop","stop_reason":null,)"
      R"("token_ids":[3,4,9]}],"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0,)"
      R"("prompt_tokens_details":{"cached_tokens":0},)"
      R"("completion_tokens_details":{"reasoning_tokens":0}},"prompt_token_ids":[7,8]})");
}

TEST(TokenIds, ComeWithTheFirstChunkAndWithEachChunkOfAChatStream) {
  const std::string head = R"(data: {"id":"x","object":"chat.completion.chunk","choices":)";
  EXPECT_EQ(
      Play(MakeChatStream(Someone(), WithIds())),
      head +
          R"([{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null,)"
          R"("token_ids":[]}],"prompt_token_ids":[7,8]})"
          "\n\n" +
          head +
          R"([{"index":0,"delta":{"content":"hi"},"logprobs":null,"finish_reason":null,"token_ids":[3,4]}]})"
          "\n\n" +
          head +
          R"([{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop","token_ids":[9],"stop_reason":null}]})"
          "\n\ndata: [DONE]\n\n");
}

TEST(TokenIds, StandInsideTheChoicesOfACompletion) {
  const std::string reply = Play(MakeCompletionReply(Someone(), WithIds()));
  EXPECT_NE(reply.find(R"("prompt_token_ids":[7,8],"token_ids":[3,4,9]}])"), std::string::npos)
      << reply;
}

TEST(TokenIds, OfThePromptComeOnceInACompletionStream) {
  const std::string head = R"(data: {"id":"x","object":"text_completion","choices":)";
  EXPECT_EQ(
      Play(MakeCompletionStream(Someone(), WithIds())),
      head +
          R"([{"index":0,"text":"hi","logprobs":null,"finish_reason":null,"prompt_token_ids":[7,8],"token_ids":[3,4]}]})"
          "\n\n" +
          head +
          R"([{"index":0,"text":"","logprobs":null,"finish_reason":"stop","token_ids":[9],"stop_reason":null}]})"
          "\n\ndata: [DONE]\n\n");
}

TEST(TokenIds, StayAwayUnlessAskedFor) {
  for (const std::string& reply :
       {Play(MakeChatReply(Someone(), {})), Play(MakeChatStream(Someone(), {})),
        Play(MakeCompletionReply(Someone(), {})), Play(MakeCompletionStream(Someone(), {}))}) {
    EXPECT_EQ(reply.find("token_ids"), std::string::npos) << reply;
  }
}

}  // namespace
}  // namespace switchboard::openai
