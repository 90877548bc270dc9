// Log lines on stderr: `[INFO] text`, or JSON objects. LOG(INFO) << "text" << 7; one line per
// statement, written whole. Prompts, answers and keys never go into a log line.
#ifndef SWITCHBOARD_BASE_LOG_H_
#define SWITCHBOARD_BASE_LOG_H_

#include <sstream>
#include <string>

#include "absl/strings/string_view.h"

namespace switchboard {

enum class LogSeverity { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kText, kJson };

// Called once in main before other threads start. `process` names the program in JSON lines. Lines
// below `least` are dropped.
void SetUpLogging(absl::string_view process, LogFormat format, LogSeverity least);

// One line while it is being written; the destructor sends it. Line breaks in it become spaces.
class LogMessage {
 public:
  explicit LogMessage(LogSeverity severity, absl::string_view request_id = "");
  ~LogMessage();
  LogMessage(const LogMessage&) = delete;
  LogMessage& operator=(const LogMessage&) = delete;

  template <typename T>
  LogMessage& operator<<(const T& value) {
    stream_ << value;
    return *this;
  }

 private:
  const LogSeverity severity_;
  const std::string request_id_;
  std::ostringstream stream_;
};

}  // namespace switchboard

#define SWITCHBOARD_SEVERITY_DEBUG ::switchboard::LogSeverity::kDebug
#define SWITCHBOARD_SEVERITY_INFO ::switchboard::LogSeverity::kInfo
#define SWITCHBOARD_SEVERITY_WARNING ::switchboard::LogSeverity::kWarning
#define SWITCHBOARD_SEVERITY_ERROR ::switchboard::LogSeverity::kError
#define LOG(severity) ::switchboard::LogMessage(SWITCHBOARD_SEVERITY_##severity)
// The same with the id of the request it is about, in a field of its own.
#define LOG_REQUEST(severity, request_id) \
  ::switchboard::LogMessage(SWITCHBOARD_SEVERITY_##severity, request_id)

#endif  // SWITCHBOARD_BASE_LOG_H_
