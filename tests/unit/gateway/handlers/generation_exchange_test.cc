#include "gateway/handlers/generation_exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <new>

#include "absl/strings/str_cat.h"
#include "gateway/openai/error.h"
#include "gateway/openai/reply_format.h"
#include "tests/unit/gateway/handlers/handler_fixture.h"

namespace switchboard::gateway {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

class GenerationExchangeTest : public HandlerFixture {
 protected:
  static std::string Chunk(const std::string& choice) {
    return absl::StrCat(
        R"(data: {"id":"chatcmpl-r1","object":"chat.completion.chunk","created":1790000000,)",
        R"("model":"m","system_fingerprint":")", openai::SystemFingerprint("f1"),
        R"(","choices":[)", choice, "]}\n\n");
  }
  static std::string ErrorOf(const Reply& reply) {
    return absl::StrCat(reply.head.status, " ", reply.body);
  }
};

TEST_F(GenerationExchangeTest, StreamIsExact) {
  generator_.Expect({Accepted{"w", 2}, Text(0, "He"), Text(2, "y"), Stop(4), Ended{}});
  const Reply reply = ReadReply(Chat(R"(,"stream":true)").get());
  EXPECT_EQ(reply.head.status, 200);
  EXPECT_TRUE(reply.head.streamed);
  EXPECT_EQ(reply.head.heartbeat, ": keep-alive\n\n");
  EXPECT_EQ(reply.Header("Content-Type"), "text/event-stream; charset=utf-8");
  EXPECT_EQ(reply.Header("Cache-Control"), "no-cache");
  EXPECT_EQ(reply.Header("X-Accel-Buffering"), "no");
  const auto content = [](const char* text) {
    return Chunk(absl::StrCat(R"({"index":0,"delta":{"content":")", text,
                              R"("},"logprobs":null,"finish_reason":null})"));
  };
  EXPECT_EQ(reply.body,
            absl::StrCat(Chunk(R"({"index":0,"delta":{"role":"assistant","content":""},)"
                               R"("logprobs":null,"finish_reason":null})"),
                         content("H"), content("e"), content("y"),
                         Chunk(R"({"index":0,"delta":{},"logprobs":null,"finish_reason":"stop",)"
                               R"("stop_reason":null})"),
                         "data: [DONE]\n\n"));
}

TEST_F(GenerationExchangeTest, WholeAnswerComesWithItsUsage) {
  generator_.Expect({Accepted{"w", 1}, Text(0, "Hey"), Stop(4), Ended{}});
  const Reply reply = ReadReply(Chat("").get());
  EXPECT_EQ(reply.head.status, 200);
  EXPECT_FALSE(reply.head.streamed);
  EXPECT_EQ(reply.Header("Content-Type"), "application/json");
  EXPECT_THAT(reply.body, HasSubstr(R"("message":{"role":"assistant","content":"Hey")"));
  // <|user|> H i <|assistant|>
  EXPECT_THAT(reply.body, HasSubstr(R"("prompt_tokens":4,"completion_tokens":4,"total_tokens":8,)"
                                    R"("prompt_tokens_details":{"cached_tokens":1})"));
}

TEST_F(GenerationExchangeTest, CallHasPromptModelFingerprintAndSeed) {
  generator_.Expect({Accepted{}, Stop(1), Ended{}});
  ReadReply(Chat(R"(,"max_tokens":5,"n":1)").get());
  const GenerateCall call = generator_.calls().at(0);
  EXPECT_THAT(call.prompt_ids,
              ElementsAreArray({kUserToken, int32_t{'H'}, int32_t{'i'}, kAssistantToken}));
  EXPECT_EQ(call.request_id, "r1");
  EXPECT_EQ(call.model, "m");
  EXPECT_EQ(call.fingerprint, "f1");
  EXPECT_EQ(call.sampling.seed, 77u);
  EXPECT_EQ(call.sampling.max_tokens, 5);
}

TEST_F(GenerationExchangeTest, AStreamThatMustEndEarlyEndsWithAnErrorAndDone) {
  generator_.Expect({Accepted{}, Text(0, "H")});
  const std::unique_ptr<http::Exchange> exchange = Chat(R"(,"stream":true)");
  // Head, role, one token; then the worker is silent.
  for (int i = 0; i < 3; ++i) {
    std::promise<void> ready;
    if (i == 0) {
      exchange->NotifyWhenReady([&ready] { ready.set_value(); });
      ready.get_future().wait();
    }
    EXPECT_NE(exchange->Next().kind, http::Step::kWait);
  }
  EXPECT_EQ(exchange->Next().kind, http::Step::kWait);
  exchange->EndEarly();
  EXPECT_EQ(exchange->Next().body,
            R"(data: {"error":{"message":"The server is shutting down.",)"
            R"("type":"service_unavailable_error","param":null,"code":"shutting_down"}})"
            "\n\ndata: [DONE]\n\n");
  EXPECT_EQ(exchange->Next().kind, http::Step::kEnd);
  EXPECT_EQ(generator_.running(), 0);
}

TEST_F(GenerationExchangeTest, AnAnswerThatHasNotBegunEndsEarlyWith503) {
  const std::unique_ptr<http::Exchange> exchange = Chat("");
  exchange->EndEarly();
  const Reply reply = ReadReply(exchange.get());
  EXPECT_EQ(reply.head.status, 503);
  EXPECT_EQ(reply.Header("Retry-After"), "1");
  EXPECT_THAT(reply.body, HasSubstr(R"("code":"shutting_down")"));
}

TEST_F(GenerationExchangeTest, AnAnswerThatIsOverIsLetEnd) {
  generator_.Expect({Accepted{}, Text(0, "a"), Stop(2)});
  ReadReply(Chat("").get());
  EXPECT_EQ(generator_.let_end(), 1);
  EXPECT_EQ(generator_.running(), 0);
}

TEST_F(GenerationExchangeTest, StopStringCancelsTheGeneration) {
  // The script goes on: nobody waits for it.
  generator_.Expect({Accepted{}, Text(0, "aXb")});
  const std::unique_ptr<http::Exchange> exchange = Chat(R"(,"stop":"X")");
  const Reply reply = ReadReply(exchange.get());
  EXPECT_THAT(reply.body, HasSubstr(R"("content":"a")"));
  EXPECT_THAT(reply.body, HasSubstr(R"("stop_reason":"X")"));
  EXPECT_THAT(reply.body, HasSubstr(R"("completion_tokens":2)"));
  EXPECT_EQ(generator_.running(), 0);
  EXPECT_EQ(generator_.let_end(), 0);
}

TEST_F(GenerationExchangeTest, LeavingCancelsTheGeneration) {
  generator_.Expect({Accepted{}, Text(0, "a")});
  std::unique_ptr<http::Exchange> exchange = Chat(R"(,"stream":true)");
  ReadReply(exchange.get(), "\"content\":\"a\"");
  EXPECT_EQ(generator_.running(), 1);
  exchange.reset();
  EXPECT_EQ(generator_.running(), 0);
}

TEST_F(GenerationExchangeTest, RefusalBeforeTheAcceptanceHasItsStatus) {
  generator_.Expect({Ended{openai::Error("server_is_overloaded", "", "Full.")}});
  const Reply reply = ReadReply(Chat(R"(,"stream":true)").get());
  EXPECT_EQ(reply.head.status, 503);
  EXPECT_EQ(reply.Header("Retry-After"), "1");
  EXPECT_EQ(reply.body, R"({"error":{"message":"Full.","type":"service_unavailable_error",)"
                        R"("param":null,"code":"server_is_overloaded"}})");
}

TEST_F(GenerationExchangeTest, FailureInAStreamIsAnEventThenDone) {
  generator_.Expect(
      {Accepted{}, Text(0, "a"), Ended{openai::Error("upstream_error", "", "Lost.")}});
  const Reply reply = ReadReply(Chat(R"(,"stream":true)").get());
  EXPECT_EQ(reply.head.status, 200);
  EXPECT_THAT(reply.body,
              testing::EndsWith("data: {\"error\":{\"message\":\"Lost.\",\"type\":\"server_error\","
                                "\"param\":null,\"code\":\"upstream_error\"}}\n\n"
                                "data: [DONE]\n\n"));
  EXPECT_THAT(reply.body, Not(HasSubstr(R"("finish_reason":"stop")")));
}

TEST_F(GenerationExchangeTest, FailureOfAWholeAnswerIsAStatus) {
  generator_.Expect(
      {Accepted{}, Text(0, "a"), Ended{openai::Error("upstream_error", "", "Lost.")}});
  EXPECT_EQ(ReadReply(Chat("").get()).head.status, 502);
}

TEST_F(GenerationExchangeTest, ProtocolErrorsOfTheWorkerEndTheAnswer) {
  const FakeGenerator::Script kScripts[] = {
      {Text(0, "a")},        {Stop(1)}, {Accepted{}, Accepted{}}, {Accepted{}, Text(1, "a")},
      {Accepted{}, Ended{}},
  };
  for (const FakeGenerator::Script& script : kScripts) {
    generator_.Expect(script);
    EXPECT_THAT(ErrorOf(ReadReply(Chat("").get())),
                testing::AllOf(HasSubstr("502 "), HasSubstr("upstream_error")));
  }
}

TEST_F(GenerationExchangeTest, OutdatedFingerprintIsPreparedAgainOnce) {
  generator_.Expect({Ended{absl::FailedPreconditionError("f2 here")}});
  generator_.Expect({Accepted{}, Text(0, "ok"), Stop(3), Ended{}});
  source_.fingerprint = "f2";
  EXPECT_THAT(ReadReply(Chat("").get()).body, HasSubstr(R"("content":"ok")"));
  ASSERT_EQ(generator_.calls().size(), 2u);
  EXPECT_EQ(generator_.calls()[0].fingerprint, "f1");
  EXPECT_EQ(generator_.calls()[1].fingerprint, "f2");

  generator_.Expect({Ended{absl::FailedPreconditionError("again")}});
  generator_.Expect({Ended{absl::FailedPreconditionError("again")}});
  EXPECT_THAT(ErrorOf(ReadReply(Chat("").get())),
              testing::AllOf(HasSubstr("503 "), HasSubstr("model_loading")));
}

TEST_F(GenerationExchangeTest, BadRequestsNeverReachARouter) {
  const struct {
    const char* body;
    const char* wanted;
  } kRows[] = {
      {"", "invalid_json"},
      {"[]", "invalid_json"},
      {"{", "invalid_json"},
      {R"({"model":7})", "invalid_type"},
      {R"({"model":"x","messages":7})", "model_not_found"},
      {R"({"model":"m"})", "missing_required_parameter"},
      {R"({"messages":[{"role":"user","content":"Hi"}],"temperature":9})", "invalid_value"},
  };
  for (const auto& row : kRows) {
    const Reply reply = ReadReply(Ask(Post("/v1/chat/completions", row.body)).get());
    EXPECT_THAT(reply.body, HasSubstr(row.wanted)) << row.body;
    EXPECT_GE(reply.head.status, 400);
  }
  EXPECT_TRUE(generator_.calls().empty());
}

TEST_F(GenerationExchangeTest, RequestIdBecomesTheIdOfTheReply) {
  generator_.Expect({Accepted{}, Stop(1), Ended{}});
  EXPECT_THAT(ReadReply(Chat(R"(,"request_id":"mine")").get()).body, HasSubstr(R"({"id":"mine",)"));
}

TEST_F(GenerationExchangeTest, CompletionsHaveTheirOwnForm) {
  generator_.Expect({Accepted{}, Text(0, "b"), Stop(2), Ended{}});
  const Reply reply =
      ReadReply(Ask(Post("/v1/completions", R"({"prompt":"a","echo":true})")).get());
  EXPECT_THAT(reply.body, HasSubstr(R"({"id":"cmpl-r1","object":"text_completion")"));
  EXPECT_THAT(reply.body, HasSubstr(R"("text":"ab","logprobs":null,"finish_reason":"stop")"));
}

TEST_F(GenerationExchangeTest, GaugesFollowTheGeneration) {
  generator_.Expect({Accepted{}, Text(0, "a")});
  const std::string running = "vllm:num_requests_running{model_name=\"m\"} ";
  std::unique_ptr<http::Exchange> exchange = Chat(R"(,"stream":true)");
  ReadReply(exchange.get(), "\"content\":\"a\"");
  EXPECT_THAT(Get("/metrics").body, HasSubstr(running + "1\n"));
  exchange.reset();
  EXPECT_THAT(Get("/metrics").body, HasSubstr(running + "0\n"));
  EXPECT_THAT(Get("/metrics").body,
              HasSubstr("switchboard_gateway_requests_total{endpoint=\"chat\",status=\"499\"} 1"));
}

TEST_F(GenerationExchangeTest, TokensCountAlsoWhenTheClientLeavesOrTheWorkerFails) {
  generator_.Expect({Accepted{}, Text(0, "abc")});
  std::unique_ptr<http::Exchange> left = Chat(R"(,"stream":true)");
  ReadReply(left.get(), "\"content\":\"c\"");
  left.reset();
  generator_.Expect({Accepted{}, Text(0, "de"), Ended{openai::Error("upstream_error", "", "x")}});
  ReadReply(Chat("").get());
  generator_.Expect({Accepted{}, Text(0, "f"), Stop(2), Ended{}});
  ReadReply(Chat("").get());
  const std::string metrics = Get("/metrics").body;
  // The last one's stop token was generated too. Prompts have 4 tokens.
  EXPECT_THAT(metrics, HasSubstr("vllm:generation_tokens_total{model_name=\"m\"} 7\n"));
  EXPECT_THAT(metrics, HasSubstr("vllm:prompt_tokens_total{model_name=\"m\"} 12\n"));
  EXPECT_THAT(metrics, HasSubstr("vllm:request_success_total{model_name=\"m\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("vllm:request_generation_tokens_sum{model_name=\"m\"} 2\n"));
}

TEST_F(GenerationExchangeTest, ARequestPreparedAgainCountsItsPromptAndFieldsOnce) {
  generator_.Expect({Ended{absl::FailedPreconditionError("f2 here")}});
  generator_.Expect({Accepted{}, Text(0, "ok"), Stop(3), Ended{}});
  source_.fingerprint = "f2";
  ReadReply(Chat(R"(,"unheard_of":1)").get());
  const std::string metrics = Get("/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("vllm:prompt_tokens_total{model_name=\"m\"} 4\n"));
  EXPECT_THAT(metrics, HasSubstr("switchboard_gateway_ignored_fields_total 1\n"));
}

TEST_F(GenerationExchangeTest, AnExceptionCostsOneRequestAndNotTheProcess) {
  services_.draw_seed = []() -> uint64_t { throw std::bad_alloc(); };
  EXPECT_THAT(ErrorOf(ReadReply(Chat("").get())),
              testing::AllOf(HasSubstr("500 "), HasSubstr("internal_error")));
  services_.draw_seed = [] { return uint64_t{1}; };
  generator_.Expect({Accepted{}, Stop(1), Ended{}});
  EXPECT_EQ(ReadReply(Chat("").get()).head.status, 200);
}

TEST_F(GenerationExchangeTest, AFullPoolRefuses) {
  TaskPool none(1, 0);
  services_.pool = &none;
  EXPECT_THAT(ErrorOf(ReadReply(Chat("").get())),
              testing::AllOf(HasSubstr("503 "), HasSubstr("server_is_overloaded")));
}

}  // namespace
}  // namespace switchboard::gateway
