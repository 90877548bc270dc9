// Command lines as vLLM users type them, parsed by Abseil flags.
#ifndef SWITCHBOARD_BASE_COMMAND_LINE_H_
#define SWITCHBOARD_BASE_COMMAND_LINE_H_

#include <string>
#include <vector>

namespace switchboard {

// What a process exits with when its flags are wrong: whoever restarts it should not. (An unknown
// flag or a value of the wrong type is refused by Abseil, with 1.)
inline constexpr int kExitBadFlags = 2;

// Parses the flags of the process, with dashes or underscores in their names; --flagfile=PATH
// stands for the flags in that file, one a line. Positional arguments are returned, without the
// program's name. Exits with a message for an unknown flag or a bad value; prints kVersion and
// exits for --version. Call once, first thing in main.
std::vector<std::string> ParseCommandLine(int argc, char** argv);

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_COMMAND_LINE_H_
