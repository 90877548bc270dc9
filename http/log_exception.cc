#include "http/log_exception.h"

#include <exception>

#include "base/log.h"

namespace switchboard::http {

void LogException() noexcept {
  try {
    try {
      throw;
    } catch (const std::exception& e) {
      LOG(ERROR) << "a connection was dropped: " << e.what();
    } catch (...) {
      LOG(ERROR) << "a connection was dropped: unknown exception";
    }
  } catch (...) {
    // There is no memory for the line of log either; the connection is dropped all the same.
    return;
  }
}

}  // namespace switchboard::http
