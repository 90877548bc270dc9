// The methods of str that make strings: strip, split, replace, case, padding, format.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "text/template/builtins.h"
#include "text/template/code_points.h"
#include "text/template/compare.h"
#include "text/template/format.h"
#include "text/template/operators.h"
#include "text/template/print.h"
#include "text/template/text_builder.h"
#include "text/template/text_ops.h"

namespace switchboard::text::jinja {
namespace {

using Result = absl::StatusOr<Value>;

Result StripSides(Runtime& runtime, const Value& self, const Arguments& call, bool left,
                  bool right) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"chars"}));
  std::optional<absl::string_view> chars;
  if (IsGiven(args[0]) && !args[0].Is(Kind::kNone)) {
    RETURN_IF_ERROR(ExpectString(args[0]));
    chars = args[0].text();
  }
  runtime.budget()->SpendOnCharacters(self.text().size());
  const ByteRange kept = StripRange(self.text(), chars, left, right);
  return runtime.StringLike(self, Part(runtime, self.marked(), kept));
}

Result Strip(Runtime& runtime, const Value& self, const Arguments& call) {
  return StripSides(runtime, self, call, true, true);
}
Result LStrip(Runtime& runtime, const Value& self, const Arguments& call) {
  return StripSides(runtime, self, call, true, false);
}
Result RStrip(Runtime& runtime, const Value& self, const Arguments& call) {
  return StripSides(runtime, self, call, false, true);
}

Result SplitFrom(Runtime& runtime, const Value& self, const Arguments& call, bool from_right) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"sep", "maxsplit"}));
  std::optional<absl::string_view> separator;
  if (IsGiven(args[0]) && !args[0].Is(Kind::kNone)) {
    RETURN_IF_ERROR(ExpectString(args[0]));
    separator = args[0].text();
    if (separator->empty()) return absl::InvalidArgumentError("empty separator");
  }
  ASSIGN_OR_RETURN(const int64_t most, IndexOr(args[1], -1, "maxsplit"));
  return runtime.List(
      Parts(runtime, self.marked(),
            SplitRanges(self.text(), separator, most, from_right, runtime.budget())));
}

Result Split(Runtime& runtime, const Value& self, const Arguments& call) {
  return SplitFrom(runtime, self, call, false);
}
Result RSplit(Runtime& runtime, const Value& self, const Arguments& call) {
  return SplitFrom(runtime, self, call, true);
}

Result SplitLines(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"keepends"}));
  return runtime.List(
      Parts(runtime, self.marked(), LineRanges(self.text(), IsTrue(args[0]), runtime.budget())));
}

Result PartitionFrom(Runtime& runtime, const Value& self, const Arguments& call, bool from_right) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"sep"}));
  RETURN_IF_ERROR(ExpectString(args[0]));
  const absl::string_view text = self.text(), separator = args[0].text();
  if (separator.empty()) return absl::InvalidArgumentError("empty separator");
  runtime.budget()->SpendOnBytes(text.size());
  const size_t at =
      from_right ? text.rfind(separator) : FindText(text, separator, 0, runtime.budget());
  const size_t size = text.size();
  std::vector<ByteRange> ranges;
  if (at != text.npos) {
    ranges = {{0, at}, {at, at + separator.size()}, {at + separator.size(), size}};
  } else if (from_right) {
    ranges = {{0, 0}, {0, 0}, {0, size}};
  } else {
    ranges = {{0, size}, {size, size}, {size, size}};
  }
  std::vector<Value> parts = Parts(runtime, self.marked(), ranges);
  return runtime.Tuple(std::move(parts));
}

Result Partition(Runtime& runtime, const Value& self, const Arguments& call) {
  return PartitionFrom(runtime, self, call, false);
}
Result RPartition(Runtime& runtime, const Value& self, const Arguments& call) {
  return PartitionFrom(runtime, self, call, true);
}

Result Replace(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"old", "new", "count"}));
  RETURN_IF_ERROR(ExpectString(args[0]));
  RETURN_IF_ERROR(ExpectString(args[1]));
  ASSIGN_OR_RETURN(const int64_t most, IndexOr(args[2], -1, "count"));
  return runtime.String(
      ReplaceText(runtime, self.marked(), args[0].marked(), args[1].marked(), most));
}

template <Case to>
Result ToCase(Runtime& runtime, const Value& self, const Arguments& call) {
  RETURN_IF_ERROR(Bind(call, {}).status());
  return runtime.StringLike(self, MapCase(runtime, self.marked(), to));
}

Result RemovePrefix(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"prefix"}));
  RETURN_IF_ERROR(ExpectString(args[0]));
  if (!absl::StartsWith(self.text(), args[0].text())) return self;
  return runtime.String(Part(runtime, self.marked(), {args[0].text().size(), self.text().size()}));
}

Result RemoveSuffix(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"suffix"}));
  RETURN_IF_ERROR(ExpectString(args[0]));
  if (!absl::EndsWith(self.text(), args[0].text())) return self;
  return runtime.String(
      Part(runtime, self.marked(), {0, self.text().size() - args[0].text().size()}));
}

Result Join(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"iterable"}));
  ASSIGN_OR_RETURN(const std::vector<Value> items, Iterate(args[0], runtime.budget()));
  TextBuilder out(runtime.budget());
  for (size_t i = 0; i < items.size() && runtime.budget()->Spend(1); ++i) {
    RETURN_IF_ERROR(ExpectString(items[i]));
    if (i > 0) out.Append(self.marked());
    out.Append(items[i].marked());
  }
  return runtime.String(out.Take());
}

Result Format(Runtime& runtime, const Value& self, const Arguments& call) {
  return FormatBraces(runtime, self, call);
}

// The text between `before` and `after` copies of the fill character.
Result Padded(Runtime& runtime, const Value& self, const Value& fill, size_t before, size_t after) {
  const MarkedText pad = IsGiven(fill) ? fill.marked() : MarkedText::Data(" ");
  TextBuilder out(runtime.budget());
  out.AppendRepeated(pad, before);
  out.Append(self.marked());
  out.AppendRepeated(pad, after);
  return runtime.String(out.Take());
}

enum class Side { kLeft, kBoth, kRight };

template <Side text_at>
Result Justify(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"width", "fillchar"}));
  ASSIGN_OR_RETURN(const int64_t width, ToIndex(args[0], "width"));
  if (IsGiven(args[1])) {
    RETURN_IF_ERROR(ExpectString(args[1]));
    if (args[1].As<StringObject>().code_points != 1) {
      return TypeError("The fill character must be exactly one character long");
    }
  }
  const int64_t length = static_cast<int64_t>(self.As<StringObject>().code_points);
  const size_t missing = static_cast<size_t>(std::max<int64_t>(width - length, 0));
  // Python gives an odd blank to the left only at an odd width.
  const size_t centered = missing / 2 + (missing & static_cast<size_t>(width) & 1);
  const size_t before = text_at == Side::kLeft ? 0 : text_at == Side::kRight ? missing : centered;
  return Padded(runtime, self, args[1], before, missing - before);
}

Result ZeroFill(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"width"}));
  ASSIGN_OR_RETURN(const int64_t width, ToIndex(args[0], "width"));
  const int64_t length = static_cast<int64_t>(self.As<StringObject>().code_points);
  const size_t missing = static_cast<size_t>(std::max<int64_t>(width - length, 0));
  const bool sign = absl::StartsWith(self.text(), "-") || absl::StartsWith(self.text(), "+");
  TextBuilder out(runtime.budget());
  out.AppendSlice(self.marked(), 0, sign ? 1 : 0);
  out.AppendRepeated(MarkedText::Data("0"), missing);
  out.AppendSlice(self.marked(), sign ? 1 : 0, self.text().size());
  return runtime.String(out.Take());
}

Result ExpandTabs(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"tabsize"}));
  ASSIGN_OR_RETURN(const int64_t size, IndexOr(args[0], 8, "tabsize"));
  TextBuilder out(runtime.budget());
  int64_t column = 0;
  for (CodePoints c(self.text()); !c.done() && runtime.budget()->Spend(1); c.Next()) {
    if (c.value() == '\t') {
      const int64_t blanks = size > 0 ? size - column % size : 0;
      out.AppendRepeated(MarkedText::Data(" "), static_cast<size_t>(blanks));
      column += blanks;
    } else {
      out.AppendSlice(self.marked(), c.begin(), c.end());
      column = c.value() == '\n' || c.value() == '\r' ? 0 : column + 1;
    }
  }
  return runtime.String(out.Take());
}

Result Encode(Runtime& runtime, const Value& self, const Arguments& call) {
  ASSIGN_OR_RETURN(const std::vector<Value> args, Bind(call, {"encoding", "errors"}));
  if (IsGiven(args[0])) {
    RETURN_IF_ERROR(ExpectString(args[0]));
    if (!absl::EqualsIgnoreCase(args[0].text(), "utf-8") &&
        !absl::EqualsIgnoreCase(args[0].text(), "utf8")) {
      return absl::InvalidArgumentError("only the encoding utf-8 is supported");
    }
  }
  runtime.budget()->SpendOnBytes(self.text().size());
  return Value::Bytes(self.text(), runtime.budget());
}

constexpr NamedBuiltin kMethods[] = {
    {"capitalize", ToCase<Case::kCapitalize>},
    {"center", Justify<Side::kBoth>},
    {"encode", Encode},
    {"expandtabs", ExpandTabs},
    {"format", Format},
    {"join", Join},
    {"ljust", Justify<Side::kLeft>},
    {"lower", ToCase<Case::kLower>},
    {"lstrip", LStrip},
    {"partition", Partition},
    {"removeprefix", RemovePrefix},
    {"removesuffix", RemoveSuffix},
    {"replace", Replace},
    {"rjust", Justify<Side::kRight>},
    {"rpartition", RPartition},
    {"rsplit", RSplit},
    {"rstrip", RStrip},
    {"split", Split},
    {"splitlines", SplitLines},
    {"strip", Strip},
    {"swapcase", ToCase<Case::kSwap>},
    {"title", ToCase<Case::kTitle>},
    {"upper", ToCase<Case::kUpper>},
    {"zfill", ZeroFill},
};

}  // namespace

absl::Span<const NamedBuiltin> StringMethods() { return kMethods; }

}  // namespace switchboard::text::jinja
