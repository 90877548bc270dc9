// The id under which a request appears in replies and logs.
#ifndef SWITCHBOARD_HTTP_REQUEST_ID_H_
#define SWITCHBOARD_HTTP_REQUEST_ID_H_

#include <string>

#include "absl/strings/string_view.h"

namespace switchboard::http {

// Whether a client's X-Request-Id is used as it is: 1 to 128 of [A-Za-z0-9._:-].
bool IsRequestId(absl::string_view text);

// 32 random hex digits from the operating system. Thread-safe.
std::string NewRequestId();

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_REQUEST_ID_H_
