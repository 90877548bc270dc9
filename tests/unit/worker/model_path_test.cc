#include "worker/model_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tests/support/status_matchers.h"

namespace switchboard::worker {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class FindModelTest : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(root_); }

  // Makes a file with its folders.
  void Touch(const std::string& path, const std::string& text = "x") {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  absl::StatusOr<ModelPath> Find(const std::string& model) {
    return FindModel(model, [this](const char* name) -> const char* {
      const auto found = environment_.find(name);
      return found == environment_.end() ? nullptr : found->second.c_str();
    });
  }
  std::string At(const std::string& path) const { return (root_ / path).string(); }

  const fs::path root_ =
      fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  std::map<std::string, std::string> environment_;
};

TEST_F(FindModelTest, NamesAFolderAfterItsLastPart) {
  Touch("tiny/config.json");
  const absl::StatusOr<ModelPath> found = Find(At("tiny/"));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->path, At("tiny/"));
  EXPECT_THAT(found->names, ElementsAre("tiny"));
}

TEST_F(FindModelTest, NamesAFolderOfDotsAfterTheOneThatIsMeant) {
  const fs::path here = fs::current_path();
  EXPECT_THAT(Find(".")->names, ElementsAre(here.filename().string()));
  EXPECT_THAT(Find("..")->names, ElementsAre(here.parent_path().filename().string()));
}

TEST_F(FindModelTest, HasNoNameForTheRoot) {
  EXPECT_THAT(Find("/")->names, ElementsAre());
  EXPECT_THAT(Find("/tmp/..")->names, ElementsAre());
}

TEST_F(FindModelTest, NamesAFileAfterItsStem) {
  Touch("SmolLM2-135M.Q4_1.gguf");
  EXPECT_THAT(Find(At("SmolLM2-135M.Q4_1.gguf"))->names, ElementsAre("SmolLM2-135M.Q4_1"));
}

TEST_F(FindModelTest, FindsTheRevisionThatMainNamesInHfHome) {
  environment_["HF_HOME"] = At("home");
  Touch("home/hub/models--zai-org--GLM/snapshots/aaa/config.json");
  Touch("home/hub/models--zai-org--GLM/snapshots/bbb/config.json");
  Touch("home/hub/models--zai-org--GLM/refs/main", "bbb");
  const absl::StatusOr<ModelPath> found = Find("zai-org/GLM");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->path, At("home/hub/models--zai-org--GLM/snapshots/bbb"));
  EXPECT_THAT(found->names, ElementsAre("zai-org/GLM", "GLM"));
}

TEST_F(FindModelTest, FindsTheOnlyRevisionInTransformersCache) {
  environment_["TRANSFORMERS_CACHE"] = At("cache");
  Touch("cache/models--org--name/snapshots/abc/config.json");
  EXPECT_EQ(Find("org/name")->path, At("cache/models--org--name/snapshots/abc"));
}

TEST_F(FindModelTest, FindsTheCacheBelowTheHomeFolder) {
  environment_["HOME"] = At("me");
  Touch("me/.cache/huggingface/hub/models--org--name/snapshots/abc/config.json");
  EXPECT_EQ(Find("org/name")->path,
            At("me/.cache/huggingface/hub/models--org--name/snapshots/abc"));
}

TEST_F(FindModelTest, TakesTheMoreSpecificCacheFirst) {
  environment_["HF_HUB_CACHE"] = At("one");
  environment_["HF_HOME"] = At("two");
  Touch("one/models--org--name/snapshots/abc/config.json");
  Touch("two/hub/models--org--name/snapshots/abc/config.json");
  EXPECT_EQ(Find("org/name")->path, At("one/models--org--name/snapshots/abc"));
}

TEST_F(FindModelTest, AsksWhichWhenSeveralRevisionsAreThereAndNoneIsMain) {
  environment_["HF_HOME"] = At("home");
  Touch("home/hub/models--org--name/snapshots/aaa/config.json");
  Touch("home/hub/models--org--name/snapshots/bbb/config.json");
  const absl::Status status = Find("org/name").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("snapshots/bbb"));
}

TEST_F(FindModelTest, IsNotLedOutOfTheCacheByRefs) {
  environment_["HF_HOME"] = At("home");
  Touch("home/hub/models--org--name/snapshots/aaa/config.json");
  Touch("home/hub/models--org--name/refs/main", "../../../..");
  Touch("home/hub/models--org--name/refs/other", "aaa");
  EXPECT_EQ(Find("org/name")->path, At("home/hub/models--org--name/snapshots/aaa"));
}

TEST_F(FindModelTest, ListsWhereItLookedForANameThatIsNotThere) {
  environment_["HF_HOME"] = At("home");
  const absl::Status status = Find("org/name").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(At("home/hub/models--org--name")));
}

TEST_F(FindModelTest, TakesOnlyOneSlashForAName) {
  for (const char* model :
       {"/no/such/folder", "a/b/c", "name", "../name", "org/..", "org/", "/x"}) {
    const absl::Status status = Find(model).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << model;
    EXPECT_THAT(std::string(status.message()), HasSubstr("no such folder or file")) << model;
  }
}

}  // namespace
}  // namespace switchboard::worker
