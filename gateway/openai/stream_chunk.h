// The common frame of the chunks of a stream.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_STREAM_CHUNK_H_
#define SWITCHBOARD_GATEWAY_OPENAI_STREAM_CHUNK_H_

#include <string>

#include "base/json.h"
#include "gateway/openai/reply_format.h"

namespace switchboard::openai {

// Makes the events of one stream. Immutable.
class ChunkMaker {
 public:
  // `object` is the chunks' type, e.g. "chat.completion.chunk".
  ChunkMaker(absl::string_view object, ReplyIdentity identity, const ReplyOptions& options);

  // A chunk about one choice. `usage` appears when running usage was asked for; with include_usage
  // alone it is null. `more` holds further members of the chunk itself.
  std::string Choice(JsonObject choice, const Usage& usage, const JsonObject& more = {}) const;
  // What follows the last choice: the usage chunk if it was asked for, then [DONE].
  std::string End(const Usage& usage) const;

 private:
  std::string Event(JsonArray choices, const Json* usage, const JsonObject& more) const;

  const std::string object_;
  const ReplyIdentity identity_;
  const bool include_usage_, continuous_usage_;
};

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_STREAM_CHUNK_H_
