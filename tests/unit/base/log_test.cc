#include "base/log.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "tests/support/status_matchers.h"

namespace switchboard {
namespace {

// What a statement writes to stderr.
template <typename Statement>
std::string Written(Statement statement) {
  testing::internal::CaptureStderr();
  statement();
  return testing::internal::GetCapturedStderr();
}

TEST(Log, WritesOneTextLinePerStatement) {
  SetUpLogging("test", LogFormat::kText, LogSeverity::kInfo);
  EXPECT_EQ(Written([] { LOG(INFO) << "ready on port " << 7; }), "[INFO] ready on port 7\n");
  EXPECT_EQ(Written([] { LOG(ERROR) << "a\nb"; }), "[ERROR] a b\n");
  EXPECT_EQ(Written([] { LOG_REQUEST(WARNING, "r-1") << "slow"; }), "[WARNING] slow request=r-1\n");
}

TEST(Log, DropsLinesBelowTheLeastSeverity) {
  SetUpLogging("test", LogFormat::kText, LogSeverity::kWarning);
  EXPECT_EQ(Written([] { LOG(INFO) << "x"; }), "");
}

TEST(Log, CutsLongLinesAndReplacesInvalidUtf8) {
  SetUpLogging("test", LogFormat::kText, LogSeverity::kInfo);
  EXPECT_EQ(Written([] { LOG(INFO) << "a\xff" << std::string(100000, 'x'); }),
            "[INFO] a\xEF\xBF\xBD" + std::string(4094, 'x') + "\n");
}

TEST(Log, WritesJsonObjects) {
  SetUpLogging("worker", LogFormat::kJson, LogSeverity::kInfo);
  absl::StatusOr<Json> line = ParseJson(Written([] { LOG_REQUEST(INFO, "r") << "a \"quote\""; }));
  ASSERT_THAT(line, IsOk());
  EXPECT_EQ(line->at("level").as_string(), "INFO");
  EXPECT_EQ(line->at("process").as_string(), "worker");
  EXPECT_EQ(line->at("request_id").as_string(), "r");
  EXPECT_EQ(line->at("message").as_string(), "a \"quote\"");
}

}  // namespace
}  // namespace switchboard
