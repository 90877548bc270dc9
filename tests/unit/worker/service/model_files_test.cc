#include "worker/service/model_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/support/status_matchers.h"
#include "tests/unit/worker/model/gguf_builder.h"

namespace switchboard::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

const char* const kTiny = SWITCHBOARD_MODELS "/autoglm-phone-tiny";

// A folder with the files given, by name and content.
class Folder {
 public:
  explicit Folder(std::vector<std::pair<std::string, std::string>> files)
      : path_(testing::TempDir() + "model_files_" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
    for (const auto& [name, content] : files) std::ofstream(path_ + "/" + name) << content;
  }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

constexpr char kTokenizer[] =
    R"({"model":{"vocab":{"a":0,"b":1}},"added_tokens":[{"id":2,"content":"<end>"},{"id":3,"content":"<i>"}]})";

TEST(ReadModelFiles, ReadsTheDemonstrationModel) {
  absl::StatusOr<ModelFiles> files = ReadModelFiles(kTiny);
  ASSERT_THAT(files, IsOk());
  EXPECT_THAT(files->eos_token_ids, ElementsAre(2510, 2517, 2519, 2529));
  EXPECT_EQ(files->usable_vocab, 2540);
  EXPECT_EQ(files->sampling.temperature, 0.0f) << "do_sample is false";
  EXPECT_EQ(files->sampling.top_p, std::nullopt);
  EXPECT_THAT(files->chat_template, HasSubstr("[gMASK]<sop>"));
  ASSERT_TRUE(files->images.has_value());
  EXPECT_EQ(files->images->placeholder, "<|begin_of_image|><|image|><|end_of_image|>");
  EXPECT_EQ(files->images->image_token_id, 2524);
  EXPECT_EQ(files->images->grid.max_pixels, 94080);
  EXPECT_EQ(files->images->grid.min_pixels, 12544);
}

TEST(ReadModelFiles, UnitesTheEndTokensOfAllFiles) {
  Folder folder({{"tokenizer.json", kTokenizer},
                 {"config.json", R"({"eos_token_id":5,"text_config":{"eos_token_id":[7,5]}})"},
                 {"generation_config.json",
                  R"({"eos_token_id":[1],"temperature":0.8,"top_k":2,"do_sample":true})"}});
  absl::StatusOr<ModelFiles> files = ReadModelFiles(folder.path());
  ASSERT_THAT(files, IsOk());
  EXPECT_THAT(files->eos_token_ids, ElementsAre(1, 5, 7));
  EXPECT_EQ(files->sampling.temperature, 0.8f);
  EXPECT_EQ(files->sampling.top_k, 2);
  EXPECT_EQ(files->images, std::nullopt);
}

TEST(ReadModelFiles, TakesTheTemplateFromTheTokenizerConfigWhenThereIsNoFile) {
  Folder folder(
      {{"tokenizer.json", kTokenizer},
       {"tokenizer_config.json",
        R"({"eos_token":{"content":"<end>"},"bos_token":null,"chat_template":[{"name":"rag","template":"r"},{"name":"default","template":"d"}]})"}});
  absl::StatusOr<ModelFiles> files = ReadModelFiles(folder.path());
  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(files->chat_template, "d");
  EXPECT_EQ(files->eos_token, "<end>");
  EXPECT_EQ(files->bos_token, "");
}

TEST(ReadModelFiles, NamesTheFileAndTheKeyThatAreWrong) {
  EXPECT_THAT(ReadModelFiles("/no/such/folder"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("tokenizer.json")));
  const auto with = [](std::string name, std::string content) {
    std::vector<std::pair<std::string, std::string>> files = {{"tokenizer.json", kTokenizer}};
    if (name == "tokenizer.json") files.clear();
    files.emplace_back(name, content);
    return ReadModelFiles(Folder(files).path());
  };
  EXPECT_THAT(with("tokenizer.json", "{"), StatusIs(kInvalid, HasSubstr("tokenizer.json")));
  EXPECT_THAT(with("tokenizer.json", "{}"), StatusIs(kInvalid, HasSubstr("model.vocab")));
  EXPECT_THAT(with("config.json", "[]"), StatusIs(kInvalid, HasSubstr("config.json")));
  EXPECT_THAT(with("config.json", R"({"eos_token_id":-1})"),
              StatusIs(kInvalid, HasSubstr("eos_token_id")));
  EXPECT_THAT(with("config.json", R"({"eos_token_id":["x"]})"),
              StatusIs(kInvalid, HasSubstr("eos_token_id")));
  EXPECT_THAT(with("generation_config.json", R"({"temperature":"hot"})"),
              StatusIs(kInvalid, HasSubstr("temperature")));
  EXPECT_THAT(with("config.json", R"({"vision_config":{},"image_token_id":99})"),
              StatusIs(kInvalid, HasSubstr("image_token_id")));
}

TEST(ReadModelFiles, RefusesSamplingDefaultsThatNoRequestCouldHave) {
  for (const auto& [key, value] : {std::pair{"temperature", "-1"},
                                   {"temperature", "5"},
                                   {"top_p", "2"},
                                   {"top_k", "-1"},
                                   {"min_p", "-0.5"},
                                   {"repetition_penalty", "0"},
                                   {"max_new_tokens", "0"},
                                   {"top_k", "3000000000"}}) {
    Folder folder({{"tokenizer.json", kTokenizer},
                   {"generation_config.json", absl::StrCat("{\"", key, "\":", value, "}")}});
    EXPECT_THAT(ReadModelFiles(folder.path()),
                StatusIs(kInvalid, testing::AllOf(HasSubstr("generation_config.json"),
                                                  HasSubstr(absl::StrCat("\"", key, "\"")))))
        << value;
  }
}

TEST(ReadModelFiles, RefusesAddedTokensBeyondTheRangeOfIds) {
  for (const char* id : {"-1", "2147483647", "99999999999"}) {
    Folder folder(
        {{"tokenizer.json", absl::StrCat(R"({"model":{"vocab":{}},"added_tokens":[{"id":)", id,
                                         R"(,"content":"x"}]})")}});
    EXPECT_THAT(ReadModelFiles(folder.path()),
                StatusIs(kInvalid, testing::AllOf(HasSubstr("added_tokens"), HasSubstr(id))));
  }
}

TEST(ReadModelFiles, RefusesPixelBoundsThatCross) {
  Folder folder(
      {{"tokenizer.json", kTokenizer},
       {"config.json", R"({"vision_config":{}})"},
       {"preprocessor_config.json", R"({"size":{"shortest_edge":2000,"longest_edge":1000}})"}});
  EXPECT_THAT(ReadModelFiles(folder.path()), StatusIs(kInvalid, HasSubstr("shortest_edge")));
}

TEST(MaxImageTokens, FollowsFromThePixelBoundOverAllFrames) {
  ImageRules rules;
  rules.grid.max_pixels = 9633792;
  EXPECT_EQ(MaxImageTokens(rules), 6144) << "9633792 / 2 frames / 28^2";
  rules.grid.max_pixels = 1;
  EXPECT_EQ(MaxImageTokens(rules), 1);
}

TEST(ApplyProcessorKwargs, OverridesThePixelBounds) {
  ImageRules rules;
  EXPECT_THAT(ApplyProcessorKwargs(R"({"max_pixels":5000000})", &rules), IsOk());
  EXPECT_EQ(rules.grid.max_pixels, 5000000);
}

TEST(ApplyProcessorKwargs, RefusesWhatItDoesNotKnow) {
  ImageRules rules;
  EXPECT_THAT(ApplyProcessorKwargs(R"({"temporal_factor":2})", &rules),
              StatusIs(kInvalid, HasSubstr("temporal_factor")));
  EXPECT_THAT(ApplyProcessorKwargs(R"({"max_pixels":-1})", &rules),
              StatusIs(kInvalid, HasSubstr("max_pixels")));
  EXPECT_THAT(ApplyProcessorKwargs(R"({"max_pixels":1073741825})", &rules),
              StatusIs(kInvalid, HasSubstr("1073741824")));
  EXPECT_THAT(ApplyProcessorKwargs(R"({"min_pixels":1.5})", &rules),
              StatusIs(kInvalid, HasSubstr("min_pixels")));
  EXPECT_THAT(ApplyProcessorKwargs(R"({"min_pixels":2000,"max_pixels":1000})", &rules),
              StatusIs(kInvalid, HasSubstr("above")));
  EXPECT_THAT(ApplyProcessorKwargs("max_pixels=5", &rules),
              StatusIs(kInvalid, HasSubstr("--mm-processor-kwargs")));
}

TEST(ReadModelFiles, TakesThePlaceOfTheFolderFromAGgufFile) {
  model::GgufBuilder file;
  file.Pair("tokenizer.ggml.tokens", model::GgufType::kArray,
            model::RawArray(model::GgufType::kString, 1, model::RawText("a")));
  file.Pair("tokenizer.ggml.token_type", model::GgufType::kArray,
            model::RawArray(model::GgufType::kInt32, 1, model::Raw(1)));
  const Folder folder({{"m.gguf", file.Build()}, {"odd.gguf", "GGUF"}});
  const auto files = ReadModelFiles(folder.path() + "/m.gguf");
  ASSERT_THAT(files, IsOk());
  EXPECT_EQ(files->tokenizer_json,
            R"({"tokenizer.ggml.tokens":["a"],"tokenizer.ggml.token_type":[1]})");
  EXPECT_THAT(ReadModelFiles(folder.path() + "/odd.gguf"),
              StatusIs(kInvalid, HasSubstr("odd.gguf: byte 4")));
}

TEST(ReplaceTokenizer, KeepsWhatIsNotOfTheTokenizer) {
  const Folder folder(
      {{"tokenizer.json", kTokenizer}, {"tokenizer_config.json", R"({"bos_token":"<b>"})"}});
  ModelFiles files;
  files.chat_template = "t";
  files.eos_token = "<e>";
  files.eos_token_ids = {7};
  ASSERT_THAT(ReplaceTokenizer(folder.path(), &files), IsOk());
  EXPECT_EQ(files.tokenizer_json, kTokenizer);
  EXPECT_EQ(files.usable_vocab, 4);
  EXPECT_EQ(files.bos_token, "<b>");
  EXPECT_EQ(files.eos_token, "");
  EXPECT_EQ(files.chat_template, "t");
  EXPECT_THAT(files.eos_token_ids, ElementsAre(7));
  EXPECT_THAT(ReplaceTokenizer(folder.path() + "/none", &files),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("tokenizer.json")));
}

TEST(ReplaceTemplate, TakesTheWholeFile) {
  const Folder folder({{"t.jinja", "{{ messages }}\n"}, {"latin.jinja", "\xe9"}});
  ModelFiles files;
  files.tokenizer_json = "{}";
  ASSERT_THAT(ReplaceTemplate(folder.path() + "/t.jinja", &files), IsOk());
  EXPECT_EQ(files.chat_template, "{{ messages }}\n");
  EXPECT_EQ(files.tokenizer_json, "{}");
  EXPECT_THAT(ReplaceTemplate(folder.path() + "/latin.jinja", &files),
              StatusIs(kInvalid, HasSubstr("latin.jinja is not UTF-8")));
  EXPECT_EQ(files.chat_template, "{{ messages }}\n");
}

}  // namespace
}  // namespace switchboard::worker
