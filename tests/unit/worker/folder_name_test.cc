#include "worker/folder_name.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace switchboard::worker {
namespace {

TEST(FolderName, IsTheLastPartOfThePath) {
  EXPECT_EQ(FolderName("/models/tiny"), "tiny");
  EXPECT_EQ(FolderName("models/tiny/"), "tiny");
  EXPECT_EQ(FolderName("/models/tiny/../other/."), "other");
}

TEST(FolderName, OfDotsIsThatOfTheFolderMeant) {
  const std::filesystem::path here = std::filesystem::current_path();
  EXPECT_EQ(FolderName("."), here.filename().string());
  EXPECT_EQ(FolderName(".."), here.parent_path().filename().string());
  EXPECT_EQ(FolderName("/x/y/.."), "x");
}

TEST(FolderName, OfTheRootIsEmpty) {
  EXPECT_EQ(FolderName("/"), "");
  EXPECT_EQ(FolderName("/x/.."), "");
}

}  // namespace
}  // namespace switchboard::worker
