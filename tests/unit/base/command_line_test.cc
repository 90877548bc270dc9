#include "base/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "absl/flags/flag.h"

ABSL_FLAG(std::string, a_text_flag, "", "for this test");
ABSL_FLAG(int, a_number_flag, 0, "for this test");

namespace switchboard {
namespace {

std::vector<std::string> Parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "program");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return ParseCommandLine(static_cast<int>(pointers.size()), pointers.data());
}

std::string FlagFile(absl::string_view content) {
  const std::string path = testing::TempDir() + "flags";
  std::ofstream(path) << content;
  return "--flagfile=" + path;
}

// A process parses its command line once, so this is one test.
TEST(ParseCommandLine, TakesDashesUnderscoresAndFlagFiles) {
  const std::vector<std::string> rest =
      Parse({"--a-text-flag=with-dashes", "one", FlagFile("# comment\n\n--a-number-flag=7\n"), "--",
             "--two-words"});
  EXPECT_EQ(absl::GetFlag(FLAGS_a_text_flag), "with-dashes");
  EXPECT_EQ(absl::GetFlag(FLAGS_a_number_flag), 7);
  EXPECT_THAT(rest, testing::ElementsAre("one", "--two-words"));
}

TEST(ParseCommandLineDeathTest, RefusesBrokenFlagFilesInOneLine) {
  EXPECT_EXIT(Parse({"--flagfile=/no/such/file"}), testing::ExitedWithCode(2),
              "ERROR. --flagfile: .*/no/such/file");
  EXPECT_EXIT(Parse({FlagFile("rubbish\n")}), testing::ExitedWithCode(2), "'rubbish' is no flag");
  EXPECT_EXIT(Parse({FlagFile("--flagfile=x\n")}), testing::ExitedWithCode(2), "is no flag");
}

TEST(ParseCommandLineDeathTest, RefusesUnknownFlagsAndBadValues) {
  EXPECT_EXIT(Parse({"--no-such-flag=1"}), testing::ExitedWithCode(1), "no_such_flag");
  EXPECT_EXIT(Parse({"--a-number-flag=x"}), testing::ExitedWithCode(1), "a_number_flag");
}

}  // namespace
}  // namespace switchboard
