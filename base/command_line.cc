#include "base/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/flags/usage_config.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/log.h"
#include "base/mapped_file.h"
#include "base/version.h"

namespace switchboard {
namespace {

// `--a-b=c-d` becomes `--a_b=c-d`; values and positional arguments stay as they are.
std::string WithUnderscores(std::string argument) {
  if (argument.size() < 3 || argument.compare(0, 2, "--") != 0) return argument;
  const auto end = std::find(argument.begin(), argument.end(), '=');
  std::replace(argument.begin() + 2, end, '-', '_');
  return argument;
}

// `/any/where/worker/options.cc` becomes `worker/options.cc`.
std::string LastTwoParts(absl::string_view path) {
  const size_t name = path.rfind('/');
  const size_t folder = name == path.npos || name == 0 ? path.npos : path.rfind('/', name - 1);
  return std::string(folder == path.npos ? path : path.substr(folder + 1));
}

[[noreturn]] void Refuse(absl::string_view problem) {
  LOG(ERROR) << problem;
  std::exit(kExitBadFlags);
}

// Appends the arguments that a file holds, one a line; empty lines and those that begin with # are
// left out.
void AppendFlagFile(const std::string& path, std::vector<std::string>* arguments) {
  absl::StatusOr<std::string> text = ReadFile(path, 1 << 20);
  if (!text.ok()) Refuse(absl::StrCat("--flagfile: ", text.status().message()));
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    if (!absl::StartsWith(line, "--") || absl::StartsWith(line, "--flagfile")) {
      Refuse(absl::StrCat("--flagfile=", path, ": '", line.substr(0, 64),
                          "' is no flag; write one --flag=value a line"));
    }
    arguments->push_back(WithUnderscores(std::string(line)));
  }
}

}  // namespace

std::vector<std::string> ParseCommandLine(int argc, char** argv) {
  absl::SetProgramUsageMessage("flags are written --like-this=VALUE or --like-this VALUE");
  absl::FlagsUsageConfig config;
  config.version_string = [] { return std::string(kVersion) + "\n"; };
  // --help shows the flags of our own files, not those of libraries.
  const auto ours = [](absl::string_view file) { return file.find("flags/") == file.npos; };
  config.contains_helpshort_flags = ours;
  config.contains_help_flags = ours;
  config.normalize_filename = LastTwoParts;
  absl::SetFlagsUsageConfig(config);

  std::vector<std::string> arguments;
  bool flags_ended = false;
  for (int i = 0; i < argc; ++i) {
    flags_ended = flags_ended || std::strcmp(argv[i], "--") == 0;
    absl::string_view argument = argv[i];
    if (i == 0 || flags_ended) {
      arguments.push_back(argv[i]);
    } else if (absl::ConsumePrefix(&argument, "--flagfile=")) {
      AppendFlagFile(std::string(argument), &arguments);
    } else {
      arguments.push_back(WithUnderscores(argv[i]));
    }
  }
  std::vector<char*> pointers;
  pointers.reserve(arguments.size());
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  const std::vector<char*> rest =
      absl::ParseCommandLine(static_cast<int>(pointers.size()), pointers.data());
  return {rest.begin() + 1, rest.end()};
}

}  // namespace switchboard
