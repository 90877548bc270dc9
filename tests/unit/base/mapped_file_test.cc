#include "base/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/status_matchers.h"

namespace switchboard {
namespace {

using testing::HasSubstr;

std::string WriteTemporary(absl::string_view name, absl::string_view content) {
  const std::string path = testing::TempDir() + std::string(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

TEST(MappedFile, ShowsTheBytesOfTheFile) {
  const std::string path = WriteTemporary("mapped", absl::string_view("a\0b", 3));
  absl::StatusOr<std::unique_ptr<MappedFile>> file = MappedFile::Open(path);
  ASSERT_THAT(file, IsOk());
  EXPECT_EQ((*file)->bytes(), absl::string_view("a\0b", 3));
}

TEST(MappedFile, OpensAnEmptyFile) {
  absl::StatusOr<std::unique_ptr<MappedFile>> file = MappedFile::Open(WriteTemporary("empty", ""));
  ASSERT_THAT(file, IsOk());
  EXPECT_TRUE((*file)->bytes().empty());
}

TEST(MappedFile, NamesThePathItCannotOpen) {
  EXPECT_THAT(MappedFile::Open("/no/such/file"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such/file")));
  EXPECT_THAT(MappedFile::Open("/"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("regular file")));
}

TEST(MappedFile, RefusesAPipeWithoutWaitingForAWriter) {
  const std::string path = testing::TempDir() + "pipe";
  ::unlink(path.c_str());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(MappedFile::Open(path),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("regular file")));
}

TEST(ReadFile, RefusesWhatIsLargerThanTheLimit) {
  const std::string path = WriteTemporary("limited", "12345");
  EXPECT_EQ(*ReadFile(path, 5), "12345");
  EXPECT_THAT(ReadFile(path, 4), StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("limit of 4")));
}

}  // namespace
}  // namespace switchboard
