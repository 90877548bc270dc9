// The scheme in which keys and tokens come.
#ifndef SWITCHBOARD_HTTP_BEARER_H_
#define SWITCHBOARD_HTTP_BEARER_H_

#include "absl/strings/string_view.h"

namespace switchboard::http {

// TOKEN of an Authorization header `Bearer TOKEN` (in any case, white space around the token is
// dropped); empty for anything else. The view is into the header.
absl::string_view BearerToken(absl::string_view authorization);

}  // namespace switchboard::http

#endif  // SWITCHBOARD_HTTP_BEARER_H_
