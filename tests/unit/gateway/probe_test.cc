#include "gateway/probe.h"

#include <gtest/gtest.h>
#include <prometheus/text_serializer.h>

#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace switchboard::gateway {
namespace {

class ProbeTest : public testing::Test {
 protected:
  // Whether the metrics' text has this line.
  bool Shows(absl::string_view line) const {
    std::ostringstream text;
    prometheus::TextSerializer().Serialize(text, registry_.Collect());
    return absl::StrContains(absl::StrCat("\n", text.str()), absl::StrCat("\n", line, "\n"));
  }

  prometheus::Registry registry_;
  Probe probe_{&registry_};
};

TEST_F(ProbeTest, RepliesAreCountedByEndpointAndStatus) {
  probe_.OnReply("chat", 200);
  probe_.OnReply("chat", 200);
  probe_.OnReply("chat", 499);
  EXPECT_TRUE(Shows(R"(switchboard_gateway_requests_total{endpoint="chat",status="200"} 2)"));
  EXPECT_TRUE(Shows(R"(switchboard_gateway_requests_total{endpoint="chat",status="499"} 1)"));
}

TEST_F(ProbeTest, IgnoredFieldsAddUp) {
  probe_.OnIgnoredFields(2);
  probe_.OnIgnoredFields(0);
  probe_.OnIgnoredFields(1);
  EXPECT_TRUE(Shows("switchboard_gateway_ignored_fields_total 3"));
}

TEST_F(ProbeTest, AModelIsThereBeforeItsFirstRequest) {
  probe_.OnModel("m");
  EXPECT_TRUE(Shows(R"(vllm:num_requests_running{model_name="m"} 0)"));
  EXPECT_TRUE(Shows(R"(vllm:request_success_total{model_name="m"} 0)"));
}

TEST_F(ProbeTest, AGenerationWaitsThenRunsThenIsGone) {
  {
    Probe::Generation generation(&probe_, "m", absl::Seconds(1));
    EXPECT_TRUE(Shows(R"(vllm:num_requests_waiting{model_name="m"} 1)"));
    EXPECT_TRUE(Shows(R"(vllm:prompt_tokens_total{model_name="m"} 0)"));
    generation.OnAccepted(7);
    EXPECT_TRUE(Shows(R"(vllm:num_requests_waiting{model_name="m"} 0)"));
    EXPECT_TRUE(Shows(R"(vllm:num_requests_running{model_name="m"} 1)"));
    EXPECT_TRUE(Shows(R"(vllm:prompt_tokens_total{model_name="m"} 7)"));
  }
  EXPECT_TRUE(Shows(R"(vllm:num_requests_running{model_name="m"} 0)"));
  EXPECT_TRUE(Shows(R"(vllm:request_success_total{model_name="m"} 0)"));
}

TEST_F(ProbeTest, TimesRunFromTheArrivalAndBetweenTokens) {
  Probe::Generation generation(&probe_, "m", absl::Seconds(1));
  generation.OnAccepted(1);
  generation.OnTokens(2, absl::Seconds(3));
  generation.OnTokens(1, absl::Seconds(3.5));
  generation.OnStopToken();
  generation.OnFinished(4, absl::Seconds(5));
  EXPECT_TRUE(Shows(R"(vllm:time_to_first_token_seconds_sum{model_name="m"} 2)"));
  EXPECT_TRUE(Shows(R"(vllm:inter_token_latency_seconds_sum{model_name="m"} 0.5)"));
  EXPECT_TRUE(Shows(R"(vllm:inter_token_latency_seconds_count{model_name="m"} 1)"));
  EXPECT_TRUE(Shows(R"(vllm:e2e_request_latency_seconds_sum{model_name="m"} 4)"));
  EXPECT_TRUE(Shows(R"(vllm:generation_tokens_total{model_name="m"} 4)"));
  EXPECT_TRUE(Shows(R"(vllm:request_generation_tokens_sum{model_name="m"} 4)"));
  EXPECT_TRUE(Shows(R"(vllm:request_success_total{model_name="m"} 1)"));
}

}  // namespace
}  // namespace switchboard::gateway
