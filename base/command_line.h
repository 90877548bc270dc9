// Command lines as vLLM users type them, parsed by Abseil flags.
#ifndef SWITCHBOARD_BASE_COMMAND_LINE_H_
#define SWITCHBOARD_BASE_COMMAND_LINE_H_

#include <string>
#include <vector>

namespace switchboard {

// Parses the flags of the process, with dashes or underscores in their names. Positional arguments
// are returned, without the program's name. Exits with a message for an unknown flag or a bad
// value; prints kVersion and exits for --version. Call once, first thing in main.
std::vector<std::string> ParseCommandLine(int argc, char** argv);

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_COMMAND_LINE_H_
