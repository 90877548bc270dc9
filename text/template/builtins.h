// The names every template knows: filters, tests, methods and functions.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_BUILTINS_H_
#define SWITCHBOARD_TEXT_TEMPLATE_BUILTINS_H_

#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "text/template/runtime.h"

namespace switchboard::text::jinja {

struct NamedBuiltin {
  absl::string_view name;
  Builtin builtin;
};

// jinja's filters and tests, with HF's tojson; without random, filesizeformat and urlize. nullptr
// when there is none of that name.
Builtin FindFilter(absl::string_view name);
Builtin FindTest(absl::string_view name);

// A method of strings, bytes, lists, tuples or dicts; nullptr when there is none, or when it would
// change its subject.
Builtin FindMethod(Kind kind, absl::string_view name);
// Whether `name` is a method that Python has and the sandbox refuses.
bool IsRefusedMethod(Kind kind, absl::string_view name);

// range, dict, namespace, cycler, joiner, lipsum, raise_exception, strftime_now.
Builtin FindFunction(absl::string_view name);

// The tables behind these, each in the file of its subject.
absl::Span<const NamedBuiltin> TextFilters();
absl::Span<const NamedBuiltin> LayoutFilters();
absl::Span<const NamedBuiltin> SequenceFilters();
absl::Span<const NamedBuiltin> SelectionFilters();
absl::Span<const NamedBuiltin> ValueFilters();
absl::Span<const NamedBuiltin> StringMethods();
absl::Span<const NamedBuiltin> SearchMethods();

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_BUILTINS_H_
