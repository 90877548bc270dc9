#include "gateway/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "tests/support/status_matchers.h"

namespace switchboard::gateway {
namespace {

using testing::HasSubstr;

// As `--name=value` on the command line.
void Set(absl::string_view name, absl::string_view value) {
  absl::CommandLineFlag* const flag = absl::FindCommandLineFlag(name);
  CHECK(flag != nullptr);
  std::string error;
  CHECK(flag->ParseFrom(value, &error));
}

class OptionsTest : public testing::Test {
 protected:
  ~OptionsTest() override { std::filesystem::remove_all(folder_); }

  std::string FileWith(absl::string_view text) {
    const std::string path = absl::StrCat(folder_, "/file");
    std::ofstream(path) << std::string(text);
    return path;
  }

 private:
  static std::string NewFolder() {
    std::string folder = "/tmp/switchboard-test-XXXXXX";
    CHECK(::mkdtemp(folder.data()) != nullptr);
    return folder;
  }

  const absl::FlagSaver saver_;  // flags are as they were after each test
  const std::string folder_ = NewFolder();
};

TEST_F(OptionsTest, DefaultsServeOnTheLoopbackAddress) {
  const absl::StatusOr<GatewayOptions> options = OptionsFromFlags();
  ASSERT_THAT(options, IsOk());
  EXPECT_EQ(options->host, "127.0.0.1");
  EXPECT_EQ(options->port, 8000);
  ASSERT_EQ(options->routers.size(), 1u);
  EXPECT_EQ(options->routers[0].ToString(), "127.0.0.1:50051");
  EXPECT_EQ(options->admin.address->ToString(), "127.0.0.1:0");
  EXPECT_EQ(options->request_timeout, absl::Seconds(600));
  EXPECT_EQ(options->drain_timeout, absl::Seconds(90));
}

TEST_F(OptionsTest, FlagsAreTaken) {
  Set("port", "0");
  Set("router", "10.0.0.1:7, unix:/run/r");
  Set("admin_listen", "127.0.0.1:9");
  Set("log_format", "json");
  Set("drain_timeout", "0");
  const absl::StatusOr<GatewayOptions> options = OptionsFromFlags();
  ASSERT_THAT(options, IsOk());
  EXPECT_EQ(options->port, 0);
  ASSERT_EQ(options->routers.size(), 2u);
  EXPECT_EQ(options->routers[1].path, "/run/r");
  EXPECT_EQ(options->admin.address->port, 9);
  EXPECT_EQ(options->log_format, LogFormat::kJson);
  EXPECT_EQ(options->drain_timeout, absl::ZeroDuration());
}

TEST_F(OptionsTest, WrongValuesAreOneLineThatNamesTheFlag) {
  const struct {
    const char *flag, *value, *message;
  } kRows[] = {
      {"host", "", "--host=: give an address"},
      {"port", "65536", "--port=65536: give a number from 0 to 65535"},
      {"router", "nowhere", "--router"},
      {"admin_listen", "unix:/run/a", "--admin-listen=unix:/run/a: give host:port"},
      {"admin_listen", "9", "--admin-listen"},
      {"cors", "not an origin", "--cors"},
      {"log_format", "xml", "--log-format=xml: give text or json"},
      {"threads", "-1", "--threads=-1: give a number from 0 to 256"},
      {"request_timeout", "0.5s", "--request-timeout=500ms: give 1s to 24h"},
      {"drain_timeout", "25h", "--drain-timeout=25h: give 0 to 24h"},
  };
  for (const auto& row : kRows) {
    const absl::FlagSaver saver;
    Set(row.flag, row.value);
    EXPECT_THAT(OptionsFromFlags().status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(row.message)))
        << row.flag;
  }
}

TEST_F(OptionsTest, KeysComeFromTheirFile) {
  Set("api_key_file", FileWith("# keys\nsk-1\n"));
  const absl::StatusOr<GatewayOptions> options = OptionsFromFlags();
  ASSERT_THAT(options, IsOk());
  EXPECT_THAT(options->api_keys.Check("Bearer sk-1", ""), IsOk());
  EXPECT_FALSE(options->api_keys.Check("Bearer sk-2", "").ok());
}

TEST_F(OptionsTest, AFileWithoutAKeyDoesNotOpenTheDoor) {
  Set("api_key_file", FileWith("# none\n"));
  EXPECT_THAT(OptionsFromFlags().status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--api-key-file=")));
}

TEST_F(OptionsTest, TheAdminTokenIsTrimmedAndNotEmpty) {
  Set("admin_token_file", FileWith(" secret\n"));
  const absl::StatusOr<GatewayOptions> options = OptionsFromFlags();
  ASSERT_THAT(options, IsOk());
  EXPECT_EQ(options->admin.token, "secret");
  Set("admin_token_file", FileWith("\n"));
  EXPECT_THAT(OptionsFromFlags().status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--admin-token-file=")));
}

}  // namespace
}  // namespace switchboard::gateway
