#include "gateway/openai/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/unit/gateway/openai/error_case.h"

namespace switchboard::openai {
namespace {

// What the template is to see of `messages`, and the images found.
struct Seen {
  std::string messages;
  std::vector<std::string> images;  // "param encoded"
};

Seen Read(const char* messages, const char* images = "null") {
  const absl::StatusOr<Json> value = ParseJson(messages);
  const absl::StatusOr<Json> listed = ParseJson(images);
  CHECK(value.ok() && listed.ok());
  const absl::StatusOr<Conversation> read =
      ReadConversation(value->as_array(), listed->is_null() ? nullptr : &listed->as_array());
  EXPECT_THAT(read, IsOk()) << messages;
  Seen seen;
  seen.messages = SerializeJson(read->messages);
  for (const ImageSource& image : read->images) {
    seen.images.push_back(image.param + " " + std::string(image.encoded));
  }
  return seen;
}

std::string Refusal(const char* messages) {
  const absl::StatusOr<Json> value = ParseJson(messages);
  CHECK(value.ok());
  return Verdict(ReadConversation(value->as_array(), nullptr).status());
}

TEST(MessagesTest, StringsAndPartsOfEveryTextType) {
  EXPECT_EQ(Read(R"([{"role":"user","content":"Hi"}])").messages,
            R"([{"role":"user","content":"Hi"}])");
  EXPECT_EQ(Read(R"([{"role":"user","content":["a",{"type":"text","text":"b"},
                     {"type":"input_text","text":"c"}]}])")
                .messages,
            R"([{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},)"
            R"({"type":"text","text":"c"}]}])");
}

TEST(MessagesTest, ImagesOfEveryFormBecomeImageParts) {
  const Seen seen = Read(R"([{"role":"user","content":[
      {"type":"image_url","image_url":{"url":"data:1","detail":"low"}},
      {"type":"image_url","image_url":"data:2"},
      {"type":"input_image","image_url":"data:3"},
      {"type":"image","data":"AAAA"},
      {"type":"image","source":{"type":"base64","data":"BBBB"}},
      {"type":"text","text":"?"}]}])");
  EXPECT_EQ(seen.messages,
            R"([{"role":"user","content":[{"type":"image"},{"type":"image"},{"type":"image"},)"
            R"({"type":"image"},{"type":"image"},{"type":"text","text":"?"}]}])");
  EXPECT_THAT(seen.images, testing::ElementsAre("messages[0].content[0].image_url.url data:1",
                                                "messages[0].content[1].image_url data:2",
                                                "messages[0].content[2].image_url data:3",
                                                "messages[0].content[3].data AAAA",
                                                "messages[0].content[4].source.data BBBB"));
}

TEST(MessagesTest, ListedImagesGoBeforeTheLastUserMessage) {
  const Seen seen = Read(
      R"([{"role":"user","content":[{"type":"image_url","image_url":"first"}]},
          {"role":"assistant","content":"ok"},
          {"role":"user","content":"What?"},
          {"role":"assistant","content":"hm"}])",
      R"(["data:x", {"type":"image_url","image_url":{"url":"data:y"}}, {"url":"data:z"}])");
  EXPECT_EQ(seen.messages,
            R"([{"role":"user","content":[{"type":"image"}]},{"role":"assistant","content":"ok"},)"
            R"({"role":"user","content":[{"type":"image"},{"type":"image"},{"type":"image"},)"
            R"({"type":"text","text":"What?"}]},{"role":"assistant","content":"hm"}])");
  EXPECT_THAT(seen.images,
              testing::ElementsAre("messages[0].content[0].image_url first", "images[0] data:x",
                                   "images[1].image_url.url data:y", "images[2].url data:z"));
}

TEST(MessagesTest, ListedImagesComeBeforeTheMessagesOwn) {
  const Seen seen =
      Read(R"([{"role":"user","content":[{"type":"image_url","image_url":"own"}]}])", R"(["x"])");
  EXPECT_THAT(seen.images,
              testing::ElementsAre("images[0] x", "messages[0].content[0].image_url own"));
}

TEST(MessagesTest, AssistantMayHaveNoContent) {
  EXPECT_EQ(Read(R"([{"role":"assistant"},{"role":"assistant","content":null,"tool_calls":[]}])")
                .messages,
            R"([{"role":"assistant"},{"role":"assistant"}])");
}

TEST(MessagesTest, ToolArgumentsBecomeObjectsForTheTemplate) {
  EXPECT_EQ(Read(R"([{"role":"assistant","content":null,"tool_calls":[
              {"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}},
              {"function":{"name":"g","arguments":""}},
              {"function":{"name":"h","arguments":{"y":2}}},
              {"function":{"name":"i","arguments":"[1"}},
              {"function":{"name":"j"}}]},
             {"role":"tool","tool_call_id":"a","content":"21"}])")
                .messages,
            R"([{"role":"assistant","tool_calls":[)"
            R"({"id":"a","type":"function","function":{"name":"f","arguments":{"x":1}}},)"
            R"({"type":"function","function":{"name":"g","arguments":{}}},)"
            R"({"type":"function","function":{"name":"h","arguments":{"y":2}}},)"
            R"({"type":"function","function":{"name":"i","arguments":"[1"}},)"
            R"({"type":"function","function":{"name":"j","arguments":{}}}]},)"
            R"({"role":"tool","content":"21","tool_call_id":"a"}])");
}

TEST(MessagesTest, ThoughtsOfAnyNameReachTheTemplateUnderOne) {
  for (const char* message :
       {R"([{"role":"assistant","content":"a","reasoning":"t"}])",
        R"([{"role":"assistant","content":"a","reasoning_content":"t"}])",
        R"([{"role":"assistant","content":"a","reasoning_content":"t","reasoning":"u"}])"}) {
    EXPECT_EQ(Read(message).messages,
              R"([{"role":"assistant","content":"a","reasoning_content":"t"}])");
  }
  EXPECT_EQ(
      Read(R"([{"role":"assistant","content":[{"type":"thinking","thinking":"t"},"a"]}])").messages,
      R"([{"role":"assistant","content":[{"type":"text","text":"a"}],)"
      R"("reasoning_content":"t"}])");
}

TEST(MessagesTest, UnknownRolesAreLeftToTheTemplate) {
  EXPECT_EQ(Read(R"([{"role":"wizard","content":"x"},{"role":"function","content":"y"}])").messages,
            R"([{"role":"wizard","content":"x"},{"role":"tool","content":"y"}])");
}

TEST(MessagesTest, WrongMessagesAreRefusedByPath) {
  const ErrorCase kCases[] = {
      {R"([null])", "messages[0]", "invalid_type"},
      {R"(["hi"])", "messages[0]", "invalid_type"},
      {R"([[]])", "messages[0]", "invalid_type"},
      {R"([{}])", "messages[0].role", "missing_required_parameter"},
      {R"([{"role":7,"content":"x"}])", "messages[0].role", "invalid_type"},
      {R"([{"role":"user"}])", "messages[0].content", "missing_required_parameter"},
      {R"([{"role":"user","content":null}])", "messages[0].content", "missing_required_parameter"},
      {R"([{"role":"user","content":7}])", "messages[0].content", "invalid_type"},
      {R"([{"role":"user","content":true}])", "messages[0].content", "invalid_type"},
      {R"([{"role":"user","content":{"a":1}}])", "messages[0].content", "invalid_type"},
      {R"([{"role":"user","content":[null]}])", "messages[0].content[0]", "invalid_type"},
      {R"([{"role":"user","content":[["x"]]}])", "messages[0].content[0]", "invalid_type"},
      {R"([{"role":"user","content":[{"text":"x"}]}])", "messages[0].content[0].type",
       "missing_required_parameter"},
      {R"([{"role":"user","content":[{"type":"hologram"}]}])", "messages[0].content[0].type",
       "invalid_value"},
      {R"([{"role":"user","content":[{"type":"text"}]}])", "messages[0].content[0].text",
       "missing_required_parameter"},
      {R"([{"role":"user","content":[{"type":"text","text":7}]}])", "messages[0].content[0].text",
       "invalid_type"},
      {R"([{"role":"user","content":[{"type":"refusal","refusal":"x"}]}])",
       "messages[0].content[0].type", "invalid_value"},
      {R"([{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}])",
       "messages[0].content[0].type", "unsupported_value"},
      {R"([{"role":"user","content":[{"type":"video_url","video_url":{}}]}])",
       "messages[0].content[0].type", "unsupported_value"},
      {R"([{"role":"user","content":[{"type":"file","file":{"file_id":"x"}}]}])",
       "messages[0].content[0].type", "unsupported_value"},
      {R"([{"role":"user","content":[{"type":"image_url"}]}])", "messages[0].content[0].image_url",
       "missing_required_parameter"},
      {R"([{"role":"user","content":[{"type":"image_url","image_url":{}}]}])",
       "messages[0].content[0].image_url.url", "missing_required_parameter"},
      {R"([{"role":"user","content":[{"type":"image_url","image_url":7}]}])",
       "messages[0].content[0].image_url", "invalid_type"},
      {R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":7}}]}])",
       "messages[0].content[0].image_url.url", "invalid_type"},
      {R"([{"role":"assistant","tool_calls":"x"}])", "messages[0].tool_calls", "invalid_type"},
      {R"([{"role":"assistant","tool_calls":[{"id":"a"}]}])", "messages[0].tool_calls[0].function",
       "missing_required_parameter"},
      {R"([{"role":"assistant","tool_calls":[{"function":{}}]}])",
       "messages[0].tool_calls[0].function.name", "missing_required_parameter"},
      {R"([{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":7}}]}])",
       "messages[0].tool_calls[0].function.arguments", "invalid_type"},
      {R"([{"role":"assistant","audio":{"id":"x"}}])", "messages[0].audio",
       "unsupported_parameter"},
  };
  for (const ErrorCase& c : kCases) EXPECT_EQ(Refusal(c.fields), Expected(c)) << c.fields;
}

TEST(MessagesTest, TooManyMessagesAreRefusedAtOnce) {
  const JsonArray messages(kMaxMessages + 1, ParseObject(R"({"role":"user","content":"x"})"));
  EXPECT_EQ(Verdict(ReadConversation(messages, nullptr).status()),
            "400 array_above_max_length messages");
}

TEST(MessagesTest, PartsOfAllMessagesTogetherAreBounded) {
  JsonObject message = ParseObject(R"({"role":"user"})");
  message["content"] = JsonArray(kMaxContentParts / 2, Json("x"));
  JsonArray messages = {message, message};
  EXPECT_EQ(Verdict(ReadConversation(messages, nullptr).status()), "ok");
  messages.push_back(ParseObject(R"({"role":"user","content":["x"]})"));
  const absl::Status status = ReadConversation(messages, nullptr).status();
  EXPECT_EQ(Verdict(status), "400 array_above_max_length messages[2].content");
  EXPECT_EQ(status.message(),
            "'messages[2].content' makes it 16385 content parts in 'messages', which may have at "
            "most 16384.");
}

TEST(MessagesTest, ToolCallsAndTheirArgumentsAreBounded) {
  const JsonObject call = ParseObject(R"({"function":{"name":"f"}})");
  JsonObject message = ParseObject(R"({"role":"assistant"})");
  message["tool_calls"] = JsonArray(kMaxToolCalls + 1, call);
  EXPECT_EQ(Verdict(ReadConversation({message}, nullptr).status()),
            "400 array_above_max_length messages[0].tool_calls");
  JsonObject long_call = call;
  long_call["function"].as_object()["arguments"] = std::string(kMaxArgumentBytes, ' ');
  JsonObject last_call = call;
  last_call["function"].as_object()["arguments"] = "x";
  message["tool_calls"] = JsonArray{long_call, last_call};
  EXPECT_EQ(Verdict(ReadConversation({message}, nullptr).status()),
            "400 array_above_max_length messages[0].tool_calls[1].function.arguments");
}

TEST(MessagesTest, ListedImagesAreBounded) {
  const JsonArray messages = {ParseObject(R"({"role":"user","content":"x"})")};
  const JsonArray images(kMaxListedImages + 1, Json("data:x"));
  EXPECT_EQ(Verdict(ReadConversation(messages, &images).status()),
            "400 array_above_max_length images");
}

TEST(MessagesTest, ListedImagesNeedAUserMessage) {
  const JsonArray messages = {ParseObject(R"({"role":"system","content":"x"})")};
  const JsonArray images = {Json("data:x")};
  EXPECT_EQ(Verdict(ReadConversation(messages, &images).status()), "400 invalid_value images");
}

}  // namespace
}  // namespace switchboard::openai
