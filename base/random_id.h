// Names that no two processes share.
#ifndef SWITCHBOARD_BASE_RANDOM_ID_H_
#define SWITCHBOARD_BASE_RANDOM_ID_H_

#include <string>

namespace switchboard {

// 16 lower-case hexadecimal digits, 64 bits from the operating system. Thread-safe.
std::string RandomId();

}  // namespace switchboard

#endif  // SWITCHBOARD_BASE_RANDOM_ID_H_
