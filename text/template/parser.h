// A template's source to its syntax tree, by jinja's grammar.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_PARSER_H_
#define SWITCHBOARD_TEXT_TEMPLATE_PARSER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "text/template/ast.h"

namespace switchboard::text::jinja {

// InvalidArgument `line N: cause`. Nesting is bounded, so neither parsing nor destroying the tree
// can exhaust the stack.
absl::StatusOr<std::unique_ptr<const Program>> ParseTemplate(absl::string_view source);

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_PARSER_H_
