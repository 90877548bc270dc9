#include "text/template/format.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/utf8.h"
#include "text/template/attributes.h"
#include "text/template/code_points.h"
#include "text/template/numbers.h"
#include "text/template/print.h"
#include "text/template/text_builder.h"

namespace switchboard::text::jinja {
namespace {

// Wider or more precise than this nobody prints; a bound keeps every piece small.
constexpr int kMaxWidth = 100'000, kMaxPrecision = 500;

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("malformed format: ", what));
}

// Reads digits at `*at`; false when the number is above `most`.
bool ReadNumber(absl::string_view text, size_t* at, int most, int* number) {
  *number = 0;
  for (; *at < text.size() && absl::ascii_isdigit(text[*at]); ++*at) {
    *number = *number * 10 + (text[*at] - '0');
    if (*number > most) return false;
  }
  return true;
}

void AppendPadding(absl::string_view fill, size_t count, TextBuilder* out) {
  out->AppendRepeated(MarkedText::Data(fill), count);
}

// `text` at the width of the spec; `align` where the spec gives none.
void AppendAligned(const MarkedText& text, const FormatSpec& spec, char align, TextBuilder* out) {
  if (spec.align != '\0') align = spec.align;
  const size_t length = CountCodePoints(text.text()), width = static_cast<size_t>(spec.width);
  const size_t missing = width > length ? width - length : 0;
  const size_t before = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  AppendPadding(spec.fill, before, out);
  out->Append(text);
  AppendPadding(spec.fill, missing - before, out);
}

void AppendText(const MarkedText& text, const FormatSpec& spec, char align, TextBuilder* out) {
  if (spec.precision < 0) return AppendAligned(text, spec, align, out);
  const size_t end = ByteOfCodePoint(text.text(), static_cast<size_t>(spec.precision));
  AppendAligned(text.Slice(0, end), spec, align, out);
}

class PercentFormatter {
 public:
  PercentFormatter(Runtime& runtime, const Value& format, const Value& values)
      : runtime_(runtime),
        format_(format.marked()),
        text_(format_.text()),
        values_(values),
        out_(runtime.budget()) {}

  absl::StatusOr<Value> Run() {
    while (at_ < text_.size()) {
      const size_t percent = std::min(text_.find('%', at_), text_.size());
      out_.AppendSlice(format_, at_, percent);
      at_ = percent + 1;
      if (percent == text_.size()) break;
      RETURN_IF_ERROR(Conversion());
    }
    const bool several = values_.Is(Kind::kTuple);
    // What has items could be meant for %(name)s, and may be left over.
    const bool mapping = values_.Is(Kind::kDict) || values_.Is(Kind::kList) ||
                         values_.Is(Kind::kRange) || values_.Is(Kind::kUndefined);
    const size_t given = several ? values_.items().size() : mapping ? 0 : 1;
    if (used_ < given) return TypeError("not all arguments converted during string formatting");
    return runtime_.String(out_.Take());
  }

 private:
  absl::StatusOr<Value> NextValue() {
    const bool several = values_.Is(Kind::kTuple);
    if (used_ >= (several ? values_.items().size() : 1)) {
      return TypeError("not enough arguments for format string");
    }
    return several ? values_.items()[used_++] : (++used_, values_);
  }

  // The value of %(name), or nothing when the conversion names none.
  absl::StatusOr<std::optional<Value>> NamedValue() {
    if (at_ >= text_.size() || text_[at_] != '(') return std::optional<Value>();
    const size_t close = text_.find(')', at_);
    if (close == text_.npos) return Malformed("a name without its )");
    const absl::string_view name = text_.substr(at_ + 1, close - at_ - 1);
    at_ = close + 1;
    if (!values_.Is(Kind::kDict)) return TypeError("format requires a mapping");
    const Value* value = values_.As<DictObject>().Find(name);
    if (value == nullptr) return absl::InvalidArgumentError(absl::StrCat("no value '", name, "'"));
    return std::optional<Value>(*value);
  }

  // Width or precision: digits, or * for the next value.
  absl::Status Size(int most, int* size) {
    if (at_ < text_.size() && text_[at_] == '*') {
      ++at_;
      ASSIGN_OR_RETURN(const Value value, NextValue());
      if (!value.is_integral()) return TypeError("* wants int");
      if (value.integer() > most) return Malformed("the size is too large");
      *size = static_cast<int>(std::max<Int>(value.integer(), -most));
      return absl::OkStatus();
    }
    return ReadNumber(text_, &at_, most, size) ? absl::OkStatus()
                                               : Malformed("the size is too large");
  }

  absl::Status Conversion() {
    FormatSpec spec;
    ASSIGN_OR_RETURN(std::optional<Value> value, NamedValue());
    for (; at_ < text_.size() && absl::StrContains("-+ #0", text_.substr(at_, 1)); ++at_) {
      const char flag = text_[at_];
      if (flag == '-') spec.align = '<';
      if (flag == '+' || (flag == ' ' && spec.sign != '+')) spec.sign = flag;
      spec.alternate |= flag == '#';
      spec.zero |= flag == '0';
    }
    RETURN_IF_ERROR(Size(kMaxWidth, &spec.width));
    if (spec.width < 0) {
      spec.align = '<';
      spec.width = -spec.width;
    }
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      RETURN_IF_ERROR(Size(kMaxPrecision, &spec.precision));
      spec.precision = std::max(spec.precision, 0);
    }
    while (at_ < text_.size() && absl::StrContains("hlL", text_.substr(at_, 1))) ++at_;
    if (at_ == text_.size()) return Malformed("incomplete format");
    spec.type = text_[at_++];
    if (spec.type == '%') {
      out_.AppendSlice(format_, at_ - 1, at_);
      return absl::OkStatus();
    }
    if (!value.has_value()) {
      ASSIGN_OR_RETURN(value, NextValue());
    }
    return Convert(*value, spec);
  }

  absl::Status Convert(const Value& value, FormatSpec spec) {
    if (spec.type == 's') {
      AppendText(Print(runtime_, value), spec, '>', &out_);
      return absl::OkStatus();
    }
    if (spec.type == 'r' || spec.type == 'a') {
      TextBuilder repr(runtime_.budget());
      ReprTo(value, &repr);
      AppendText(repr.Take(), spec, '>', &out_);
      return absl::OkStatus();
    }
    if (spec.type == 'c') return Character(value, spec);
    if (!absl::StrContains("diuxXoeEfFgG", std::string(1, spec.type))) {
      return Malformed(
          absl::StrCat("unsupported format character '", std::string(1, spec.type), "'"));
    }
    if (!value.is_number()) {
      return TypeError(absl::StrCat("%", std::string(1, spec.type),
                                    " format: a real number is required, not ", TypeName(value)));
    }
    const bool decimal = absl::StrContains("diu", std::string(1, spec.type));
    if (decimal) spec.type = 'd';
    Value number = value;
    if (decimal && value.Is(Kind::kFloat)) {
      if (!(std::abs(value.real()) < kMaxWholeDouble)) return TypeError("a number is too large");
      number = Value::Number(Int(value.real()));
    }
    if (spec.align == '<') spec.zero = false;
    if (absl::StrContains("dxXo", std::string(1, spec.type)) && spec.precision >= 0) {
      // The precision of a whole number is its least number of digits.
      const bool signs = spec.sign != '-' || number.real() < 0;
      const int width = std::exchange(spec.width, spec.precision + (signs ? 1 : 0));
      spec.zero = true;
      ASSIGN_OR_RETURN(const std::string digits, FormatNumber(number, spec));
      spec.width = width;
      AppendAligned(MarkedText::Data(digits), spec, '>', &out_);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const std::string digits, FormatNumber(number, spec));
    AppendAligned(MarkedText::Data(digits), spec, '>', &out_);
    return absl::OkStatus();
  }

  // %c: a character by its number, or a string of one.
  absl::Status Character(const Value& value, const FormatSpec& spec) {
    if (value.is_integral() && value.integer() >= 0 && value.integer() <= 0x10FFFF) {
      std::string character;
      AppendUtf8(static_cast<char32_t>(static_cast<uint32_t>(value.integer())), &character);
      AppendAligned(MarkedText::Data(character), spec, '>', &out_);
      return absl::OkStatus();
    }
    if (!value.is_string() || value.As<StringObject>().code_points != 1) {
      return TypeError("%c requires an int or a unicode character");
    }
    AppendAligned(value.marked(), spec, '>', &out_);
    return absl::OkStatus();
  }

  Runtime& runtime_;
  const MarkedText& format_;
  const absl::string_view text_;
  const Value& values_;
  TextBuilder out_;
  size_t at_ = 0, used_ = 0;
};

// [[fill]align][sign][#][0][width][grouping][.precision][type]
absl::StatusOr<FormatSpec> ParseSpec(absl::string_view text) {
  FormatSpec spec;
  const auto is_align = [](absl::string_view c) {
    return c.size() == 1 && absl::StrContains("<>=^", c);
  };
  const size_t first = ByteOfCodePoint(text, 1);
  size_t at = 0;
  if (!text.empty() && is_align(text.substr(first, 1))) {
    spec.fill = std::string(text.substr(0, first));
    spec.align = text[first];
    at = first + 1;
  } else if (is_align(text.substr(0, 1))) {
    spec.align = text[0];
    at = 1;
  }
  const auto take = [&](absl::string_view set) {
    const bool found = at < text.size() && absl::StrContains(set, text.substr(at, 1));
    return found ? text[at++] : '\0';
  };
  if (const char sign = take("+- ")) spec.sign = sign;
  spec.alternate = take("#") != '\0';
  spec.zero = take("0") != '\0';
  if (!ReadNumber(text, &at, kMaxWidth, &spec.width)) return Malformed("the width is too large");
  spec.grouping = take(",_");
  if (take(".") != '\0' && !ReadNumber(text, &at, kMaxPrecision, &spec.precision)) {
    return Malformed("the precision is too large");
  }
  spec.type = take("bcdeEfFgGnosxX%");
  if (at != text.size()) return Malformed(absl::StrCat("Invalid format specifier '", text, "'"));
  return spec;
}

class BraceFormatter {
 public:
  BraceFormatter(Runtime& runtime, const Value& format, const Arguments& arguments)
      : runtime_(runtime),
        format_(format.marked()),
        text_(format_.text()),
        arguments_(arguments),
        out_(runtime.budget()) {}

  absl::StatusOr<Value> Run() {
    size_t at = 0;
    while (at < text_.size()) {
      const size_t brace = std::min(text_.find_first_of("{}", at), text_.size());
      out_.AppendSlice(format_, at, brace);
      if (brace == text_.size()) break;
      if (text_.substr(brace + 1, 1) == text_.substr(brace, 1)) {  // {{ or }}
        out_.AppendSlice(format_, brace, brace + 1);
        at = brace + 2;
        continue;
      }
      const size_t close = text_.find('}', brace);
      if (text_[brace] == '}' || close == text_.npos) return Malformed("single brace in format");
      RETURN_IF_ERROR(Field(text_.substr(brace + 1, close - brace - 1)));
      at = close + 1;
    }
    return runtime_.String(out_.Take());
  }

 private:
  // name[.attribute | [index]]...[!conversion][:spec]
  absl::Status Field(absl::string_view field) {
    if (field.find('{') != field.npos) return Malformed("nested fields are not supported");
    const size_t colon = std::min(field.find(':'), field.size());
    absl::string_view name = field.substr(0, colon);
    char conversion = '\0';
    if (const size_t mark = name.find('!'); mark != name.npos) {
      if (name.size() != mark + 2) return Malformed("a conversion is one letter");
      conversion = name[mark + 1];
      name = name.substr(0, mark);
    }
    ASSIGN_OR_RETURN(const Value value, Lookup(name));
    ASSIGN_OR_RETURN(const FormatSpec spec,
                     ParseSpec(colon < field.size() ? field.substr(colon + 1) : ""));
    if (conversion == 'r') {
      TextBuilder repr(runtime_.budget());
      ReprTo(value, &repr);
      AppendText(repr.Take(), spec, '<', &out_);
      return absl::OkStatus();
    }
    return Append(value, spec, colon + 1 < field.size(), conversion == 's');
  }

  absl::Status Append(const Value& value, FormatSpec spec, bool has_spec, bool as_text) {
    const bool plain_bool = value.Is(Kind::kBool) && !has_spec;
    if (value.is_number() && !as_text && !plain_bool) {
      if (spec.align == '=') spec.zero = true;
      ASSIGN_OR_RETURN(const std::string digits, FormatNumber(value, spec));
      AppendAligned(MarkedText::Data(digits), spec, '>', &out_);
      return absl::OkStatus();
    }
    if (has_spec && !value.is_string() && !as_text) {
      return TypeError(absl::StrCat("unsupported format string passed to ", TypeName(value)));
    }
    if (spec.type != '\0' && spec.type != 's') {
      return Malformed(absl::StrCat("Unknown format code '", std::string(1, spec.type),
                                    "' for object of type '", TypeName(value), "'"));
    }
    AppendText(Print(runtime_, value), spec, '<', &out_);
    return absl::OkStatus();
  }

  absl::StatusOr<Value> Lookup(absl::string_view path) {
    const size_t first_end = std::min(path.find_first_of(".["), path.size());
    ASSIGN_OR_RETURN(Value value, Argument(path.substr(0, first_end)));
    path.remove_prefix(first_end);
    while (!path.empty()) {
      const bool index = path[0] == '[';
      const size_t end = index ? path.find(']') : path.find_first_of(".[", 1);
      if (index && end == path.npos) return Malformed("missing ]");
      const absl::string_view key = path.substr(1, std::min(end, path.size()) - 1);
      path.remove_prefix(std::min(end, path.size()) + (index ? 1 : 0));
      if (!index) {
        ASSIGN_OR_RETURN(value, GetAttribute(runtime_, value, key));
      } else {
        const std::optional<Int> number = ParseInt(key, 10);
        const Value item = number.has_value() ? Value::Number(*number) : Value::Data(key);
        ASSIGN_OR_RETURN(value, GetItem(runtime_, value, item));
      }
    }
    return value;
  }

  absl::StatusOr<Value> Argument(absl::string_view name) {
    const bool number = name.find_first_not_of("0123456789") == name.npos;
    if (number) {
      const Int at = name.empty() ? Int(next_++) : ParseInt(name, 10).value_or(kMaxWidth);
      if (at < Int(arguments_.positional.size())) {
        return arguments_.positional[static_cast<size_t>(at)];
      }
      return absl::InvalidArgumentError("Replacement index out of range for positional args tuple");
    }
    for (const auto& [key, value] : arguments_.keyword) {
      if (key == name) return value;
    }
    return absl::InvalidArgumentError(absl::StrCat("no value '", name, "' to format"));
  }

  Runtime& runtime_;
  const MarkedText& format_;
  const absl::string_view text_;
  const Arguments& arguments_;
  TextBuilder out_;
  size_t next_ = 0;
};

}  // namespace

absl::StatusOr<Value> FormatPercent(Runtime& runtime, const Value& format, const Value& values) {
  return PercentFormatter(runtime, format, values).Run();
}

absl::StatusOr<Value> FormatBraces(Runtime& runtime, const Value& format,
                                   const Arguments& arguments) {
  return BraceFormatter(runtime, format, arguments).Run();
}

}  // namespace switchboard::text::jinja
