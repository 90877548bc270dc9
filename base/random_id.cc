#include "base/random_id.h"

#include <random>

#include "absl/strings/str_format.h"

namespace switchboard {

std::string RandomId() {
  std::random_device device;
  return absl::StrFormat("%08x%08x", device(), device());
}

}  // namespace switchboard
