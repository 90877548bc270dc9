// Fields that would change the answer and that this server does not have yet. They are refused,
// never silently dropped. Values that ask for nothing pass: null and "none", and an empty list or
// object of what would be added (tools, bad_words, mm_processor_kwargs, ...). An empty constraint
// (guided_json: {}, allowed_token_ids: []) still is one, and is refused.
#ifndef SWITCHBOARD_GATEWAY_OPENAI_UNSUPPORTED_H_
#define SWITCHBOARD_GATEWAY_OPENAI_UNSUPPORTED_H_

#include "absl/status/status.h"
#include "gateway/openai/object_reader.h"

namespace switchboard::openai {

// Of any generation: structured output, beam search, prompt logprobs, ...
absl::Status RefuseUnsupported(ObjectReader* body);
// Of chat only: tools, audio, web search, request templates.
absl::Status RefuseUnsupportedChat(ObjectReader* body);

}  // namespace switchboard::openai

#endif  // SWITCHBOARD_GATEWAY_OPENAI_UNSUPPORTED_H_
