// datetime.strftime in the C locale.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_STRFTIME_H_
#define SWITCHBOARD_TEXT_TEMPLATE_STRFTIME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace switchboard::text::jinja {

// `time` in UTC. %f gives microseconds, %z and %Z nothing, as for Python's times without a zone; a
// letter that is no directive stays as it is.
std::string FormatTime(absl::string_view format, absl::Time time);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_STRFTIME_H_
