// x.name and x[key], with jinja's rule of which comes first, inside its sandbox.
#ifndef SWITCHBOARD_TEXT_TEMPLATE_ATTRIBUTES_H_
#define SWITCHBOARD_TEXT_TEMPLATE_ATTRIBUTES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "text/template/runtime.h"
#include "text/template/value.h"

namespace switchboard::text::jinja {

// Both give undefined when there is nothing, and an error only for undefined itself.

// Methods and attributes first, then items: d.items is always the method.
absl::StatusOr<Value> GetAttribute(Runtime& runtime, const Value& object, absl::string_view name);
// Items first, then attributes.
absl::StatusOr<Value> GetItem(Runtime& runtime, const Value& object, const Value& key);

// Attributes only (the filter `attr`).
absl::StatusOr<Value> GetAttributeOnly(Runtime& runtime, const Value& object,
                                       absl::string_view name);

// What filters look up in each item: nothing, an index, or a path like `function.name` or `0.role`.
class AttributePath {
 public:
  // `attribute` is NotGiven or none for the item itself. `fallback`, unless NotGiven, stands for
  // what is not found.
  static absl::StatusOr<AttributePath> Parse(const Value& attribute,
                                             const Value& fallback = Value::NotGiven());
  absl::StatusOr<Value> Of(Runtime& runtime, const Value& item) const;

 private:
  std::vector<Value> steps_;
  Value fallback_;
};

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_ATTRIBUTES_H_
