#include "http/request_id.h"

#include <sys/random.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "base/check.h"
#include "base/digest.h"

namespace switchboard::http {

bool IsRequestId(absl::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == ':' || c == '-';
         });
}

std::string NewRequestId() {
  char bytes[16];
  // Requests of up to 256 bytes are never cut short once the kernel's generator is seeded.
  CHECK(::getrandom(bytes, sizeof(bytes), 0) == sizeof(bytes));
  return ToHex(absl::string_view(bytes, sizeof(bytes)));
}

}  // namespace switchboard::http
