// The error body of the OpenAI API.
#ifndef SWITCHBOARD_HTTP_ERROR_BODY_H_
#define SWITCHBOARD_HTTP_ERROR_BODY_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "http/message.h"
#include "http/refusal.h"

namespace switchboard::http {

// {"error":{"message":...,"type":...,"param":...,"code":...}}; an empty `param` or `code` becomes
// null. Line breaks in `message` become spaces, invalid UTF-8 becomes U+FFFD.
std::string ErrorBody(absl::string_view message, absl::string_view type, absl::string_view param,
                      absl::string_view code);

// The `type` that belongs to an HTTP status, such as `invalid_request_error` for 400.
absl::string_view ErrorType(int status);

// A refusal as a reply, with Content-Type and, for 405 and 503, Allow and Retry-After.
Head RefusalHead(const Refusal& refusal);
std::string RefusalBody(const Refusal& refusal);
std::unique_ptr<Exchange> ReplyRefusal(const Refusal& refusal);

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_ERROR_BODY_H_
