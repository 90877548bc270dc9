#include "base/log.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/json.h"
#include "base/utf8.h"

namespace switchboard {
namespace {

struct Settings {
  std::string process = "switchboard";
  LogFormat format = LogFormat::kText;
  LogSeverity least = LogSeverity::kInfo;
};

// Written once by SetUpLogging before threads exist, read by all afterwards. Never destroyed:
// threads log while the process exits.
Settings& Global() {
  static Settings* const settings = new Settings;
  return *settings;
}

absl::string_view Name(LogSeverity severity) {
  switch (severity) {
    case LogSeverity::kDebug:
      return "DEBUG";
    case LogSeverity::kInfo:
      return "INFO";
    case LogSeverity::kWarning:
      return "WARNING";
    case LogSeverity::kError:
      return "ERROR";
  }
  return "?";
}

// Longer lines are cut: what comes from outside must not fill the disk.
constexpr size_t kMaxLineBytes = 4096;

std::string TextLine(LogSeverity severity, const std::string& request_id, std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' && c != '\t'; }, ' ');
  return absl::StrCat("[", Name(severity), "] ", text,
                      request_id.empty() ? "" : absl::StrCat(" request=", request_id), "\n");
}

std::string JsonLine(LogSeverity severity, const std::string& request_id, const std::string& text) {
  JsonObject line;
  line["time"] = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(), absl::UTCTimeZone());
  line["level"] = std::string(Name(severity));
  line["process"] = Global().process;
  if (!request_id.empty()) line["request_id"] = request_id;
  line["message"] = text;
  return SerializeJson(line) + "\n";
}

}  // namespace

void SetUpLogging(absl::string_view process, LogFormat format, LogSeverity least) {
  Global() = {std::string(process), format, least};
}

LogMessage::LogMessage(LogSeverity severity, absl::string_view request_id)
    : severity_(severity), request_id_(request_id) {}

LogMessage::~LogMessage() {
  const Settings& settings = Global();
  if (severity_ < settings.least) return;
  const std::string text = ReplaceInvalidUtf8(stream_.str().substr(0, kMaxLineBytes));
  const std::string request_id = ReplaceInvalidUtf8(request_id_.substr(0, kMaxLineBytes));
  const std::string line = settings.format == LogFormat::kJson
                               ? JsonLine(severity_, request_id, text)
                               : TextLine(severity_, request_id, text);
  // One write per line keeps lines of several threads apart; a lost log line is not worth a
  // failure.
  const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  static_cast<void>(written);
}

}  // namespace switchboard
