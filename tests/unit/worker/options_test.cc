#include "worker/options.h"

#include <gtest/gtest.h>

#include "absl/flags/reflection.h"
#include "absl/strings/str_replace.h"
#include "tests/support/status_matchers.h"

namespace switchboard::worker {
namespace {

using testing::HasSubstr;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(ParseBytes, KnowsBinaryAndDecimalUnits) {
  EXPECT_EQ(*ParseBytes("512"), 512);
  EXPECT_EQ(*ParseBytes("64MiB"), 67108864);
  EXPECT_EQ(*ParseBytes("4gib"), 4294967296);
  EXPECT_EQ(*ParseBytes("1.5GB"), 1500000000);
  EXPECT_EQ(*ParseBytes("2 KiB"), 2048);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  for (const char* text : {"", "MiB", "-1", "0", "4XiB", "nan", "inf", "1e300GiB"}) {
    EXPECT_THAT(ParseBytes(text), StatusIs(kInvalid, HasSubstr("512MiB"))) << text;
  }
}

TEST(ParseImageLimit, TakesBothForms) {
  EXPECT_EQ(*ParseImageLimit("image=3"), 3);
  EXPECT_EQ(*ParseImageLimit(R"({"image":10})"), 10);
  EXPECT_EQ(*ParseImageLimit("image=0"), 0);
}

TEST(ParseImageLimit, RefusesTheRest) {
  for (const char* text : {"", "3", "image=", "image=-1", "image=x", "video=1", R"({"image":-1})",
                           R"({"image":1,"video":2})", R"({"image":"1"})", "[1]", "image=1001"}) {
    EXPECT_THAT(ParseImageLimit(text), StatusIs(kInvalid, testing::Ne(""))) << text;
  }
}

class WorkerFlags : public testing::Test {
 protected:
  WorkerFlags() { Set("model", SWITCHBOARD_MODELS "/autoglm-phone-tiny"); }

  static void Set(const std::string& flag, const std::string& value) {
    std::string error;
    ASSERT_TRUE(absl::FindCommandLineFlag(flag)->ParseFrom(value, &error)) << error;
  }

 private:
  const absl::FlagSaver saver_;
};

TEST_F(WorkerFlags, AreAValidWorkerByDefault) {
  const auto options = OptionsFromFlags();
  ASSERT_THAT(options, IsOk());
  EXPECT_EQ(options->listen, "127.0.0.1:50061");
  EXPECT_EQ(options->admin.address->ToString(), "127.0.0.1:0");
  EXPECT_EQ(options->max_images, 10);
  EXPECT_EQ(options->drain_timeout, absl::Seconds(90));
}

TEST_F(WorkerFlags, OutOfRangeAreNamed) {
  const std::pair<const char*, const char*> bad[] = {{"max_model_len", "-1"},
                                                     {"max_model_len", "1"},
                                                     {"max_model_len", "16777217"},
                                                     {"max_num_seqs", "0"},
                                                     {"max_num_seqs", "4097"},
                                                     {"max_num_batched_tokens", "31"},
                                                     {"max_waiting", "0"},
                                                     {"max_num_batched_tokens", "1048577"},
                                                     {"max_waiting", "1048577"},
                                                     {"kv_cache_memory", "-1"},
                                                     {"kv_cache_memory", "1e300"},
                                                     {"threads", "-1"},
                                                     {"threads", "1025"},
                                                     {"workers_on_host", "0"},
                                                     {"workers_on_host", "1025"},
                                                     {"limit_mm_per_prompt", "image=-1"},
                                                     {"drain_timeout", "-1s"},
                                                     {"limit_mm_per_prompt", "image=1001"},
                                                     {"drain_timeout", "25h"},
                                                     {"drain_timeout", "inf"},
                                                     {"admin_listen", "unix:/x"},
                                                     {"admin_token_file", "/no/such/file"},
                                                     {"log_format", "xml"},
                                                     {"dtype", "int3"},
                                                     {"served_model_name", "a\xff"},
                                                     {"served_model_name", "a,b,a"},
                                                     {"chat_template_content_format", "x"}};
  for (const auto& [flag, value] : bad) {
    const absl::FlagSaver saver;
    Set(flag, value);
    const auto options = OptionsFromFlags();
    ASSERT_FALSE(options.ok()) << flag << "=" << value;
    const std::string message(options.status().message());
    EXPECT_THAT(message, HasSubstr("--" + absl::StrReplaceAll(flag, {{"_", "-"}})));
    EXPECT_THAT(message, testing::Not(HasSubstr("\n")));
  }
}

}  // namespace
}  // namespace switchboard::worker
