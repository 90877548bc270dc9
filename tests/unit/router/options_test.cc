#include "router/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/flags/reflection.h"
#include "tests/support/status_matchers.h"

namespace switchboard::router {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

void Set(const char* flag, const char* value) {
  std::string error;
  ASSERT_TRUE(absl::FindCommandLineFlag(flag)->ParseFrom(value, &error)) << error;
}

TEST(OptionsTest, TheDefaultsAreAValidRouter) {
  const auto options = OptionsFromFlags();
  ASSERT_THAT(options, IsOk());
  EXPECT_EQ(options->listen.ToString(), "127.0.0.1:50051");
  EXPECT_THAT(options->workers, SizeIs(1));
  EXPECT_EQ(options->core.max_held_bytes, size_t{1} << 30);
  EXPECT_EQ(options->core.hang_limit, absl::Minutes(2));
  EXPECT_EQ(options->drain_timeout, absl::Seconds(90));
  EXPECT_EQ(options->admin.address->ToString(), "127.0.0.1:0");
}

TEST(OptionsTest, EveryBadValueIsNamedByItsFlag) {
  const std::pair<const char*, const char*> bad[] = {
      {"listen", "nowhere"},         {"workers", ""},
      {"workers", "a:1,a:1"},        {"log_format", "xml"},
      {"max_queued_requests", "-1"}, {"max_queued_requests", "1048577"},
      {"max_queued_mib", "0"},       {"max_queued_mib", "1048577"},
      {"max_attempts", "0"},         {"max_attempts", "101"},
      {"queue_timeout", "0s"},       {"queue_timeout", "inf"},
      {"drain_timeout", "-1s"},      {"drain_timeout", "25h"},
      {"worker_hang_timeout", "1s"}, {"worker_hang_timeout", "inf"},
      {"admin_listen", "unix:/x"},   {"admin_token_file", "/no/such/file"}};
  for (const auto& [flag, value] : bad) {
    const absl::FlagSaver saver;
    Set(flag, value);
    std::string name = flag;
    for (char& c : name) c = c == '_' ? '-' : c;
    const auto options = OptionsFromFlags();
    ASSERT_FALSE(options.ok()) << flag << "=" << value;
    EXPECT_THAT(std::string(options.status().message()), HasSubstr("--" + name));
  }
}

}  // namespace
}  // namespace switchboard::router
