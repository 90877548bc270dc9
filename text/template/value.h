// The values a template computes with: Python's, as far as chat templates see them. Strings
// remember which of their bytes were written by the template (see text/marked_text.h).
#ifndef SWITCHBOARD_TEXT_TEMPLATE_VALUE_H_
#define SWITCHBOARD_TEXT_TEMPLATE_VALUE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "text/marked_text.h"

namespace switchboard::text::jinja {

class Budget;
class Object;

// Whole numbers. Python's have no bound; results beyond 1e37 are refused (operators.h).
using Int = absl::int128;

enum class Kind {
  kUndefined,
  kNone,
  kBool,
  kInt,
  kFloat,
  kString,     // StringObject
  kBytes,      // StringObject
  kList,       // SequenceObject
  kTuple,      // SequenceObject
  kDict,       // DictObject
  kDictView,   // DictViewObject: what d.items(), d.keys(), d.values() give
  kRange,      // RangeObject
  kIterator,   // IteratorObject: items that can be taken once
  kNamespace,  // NamespaceObject
  kEntity,     // Entity: functions, methods, macros, loops
};

// A value, cheap to copy. Immutable, with the exceptions of Python: namespaces, iterators and some
// entities. So values without those may be shared between threads.
class Value {
 public:
  Value() = default;  // undefined
  // What a lookup that finds nothing gives; `why` is the error when it is used for more than
  // printing.
  static Value Undefined(absl::string_view why);
  // Stands for an argument that a call leaves out: undefined, and the same as only itself.
  static const Value& NotGiven();
  static Value None() { return Value(Kind::kNone); }
  static Value Bool(bool value);
  static Value Number(Int value);
  static Value Number(double value);

  // Containers made with a budget hold their memory against it until they are destroyed.
  static Value String(MarkedText text, Budget* budget = nullptr);
  // A string that counts as escaped HTML (jinja's Markup).
  static Value Markup(MarkedText text, Budget* budget = nullptr);
  // A string of data, a string of template text.
  static Value Data(absl::string_view text) { return String(MarkedText::Data(text)); }
  static Value Literal(absl::string_view text) { return String(MarkedText::Literal(text)); }
  static Value Bytes(absl::string_view bytes, Budget* budget = nullptr);
  static Value List(std::vector<Value> items, Budget* budget = nullptr);
  static Value Tuple(std::vector<Value> items, Budget* budget = nullptr);
  // REQUIRES: the keys are hashable (AppendKey in objects.h); of equal keys the first stays, with
  // the value of the last.
  static Value Dict(std::vector<std::pair<Value, Value>> entries, Budget* budget = nullptr);
  // All strings are data.
  static Value FromJson(const Json& json);
  static Value FromObject(Kind kind, std::shared_ptr<Object> object);

  Kind kind() const { return kind_; }
  bool Is(Kind kind) const { return kind_ == kind; }
  bool is_string() const { return kind_ == Kind::kString; }
  // Bool, int or float: Python's booleans are numbers.
  bool is_number() const { return is_integral() || kind_ == Kind::kFloat; }
  bool is_integral() const { return kind_ == Kind::kBool || kind_ == Kind::kInt; }

  // REQUIRES: the kind fits.
  bool boolean() const { return number_ != 0; }
  Int integer() const { return number_; }                      // also of a bool
  double real() const;                                         // of any number
  const MarkedText& marked() const;                            // of a string
  const std::string& text() const { return marked().text(); }  // of a string
  const std::vector<Value>& items() const;                     // of a list or tuple
  template <typename T>
  const T& As() const {
    return static_cast<const T&>(*object_);
  }
  template <typename T>
  std::shared_ptr<T> Shared() const {
    return std::static_pointer_cast<T>(object_);
  }
  // The reason given to Undefined().
  absl::string_view why_undefined() const;

  // Whether both are the same object (Python's `is`), for numbers: the same kind and value.
  bool SameAs(const Value& other) const;
  // Containers around containers: 0 for a number, 1 for a string.
  int depth() const;

 private:
  explicit Value(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::kUndefined;
  Int number_ = 0;
  double real_ = 0;
  std::shared_ptr<Object> object_;
};

}  // namespace switchboard::text::jinja

#endif  // SWITCHBOARD_TEXT_TEMPLATE_VALUE_H_
