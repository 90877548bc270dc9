#include "text/tokenizer/pattern_dialect.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace switchboard::text {
namespace {

// Unicode White_Space, and everything else: contents of a character set.
constexpr char kSpace[] =
    "\\x{9}-\\x{D}\\x{20}\\x{85}\\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}"
    "\\x{205F}\\x{3000}";
constexpr char kNotSpace[] =
    "\\x{0}-\\x{8}\\x{E}-\\x{1F}\\x{21}-\\x{84}\\x{86}-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}"
    "\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}"
    "\\x{3001}-\\x{D7FF}\\x{E000}-\\x{10FFFF}";
constexpr char kWord[] = "\\p{L}\\p{M}\\p{Nd}\\p{Pc}";

class Translator {
 public:
  explicit Translator(absl::string_view pattern) : pattern_(pattern) {}

  absl::StatusOr<std::string> Run() {
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_];
      if (c == '\\') {
        RETURN_IF_ERROR(Escape());
      } else if (in_set_) {
        RETURN_IF_ERROR(InSet(c));
      } else {
        RETURN_IF_ERROR(Outside(c));
      }
    }
    return std::move(out_);
  }

 private:
  bool Next(absl::string_view text) const { return absl::StartsWith(pattern_.substr(at_), text); }
  void Copy(size_t bytes) {
    absl::StrAppend(&out_, pattern_.substr(at_, bytes));
    at_ += bytes;
  }
  absl::Status Refuse(absl::string_view what) const {
    return absl::UnimplementedError(
        absl::StrCat("regular expression, byte ", at_, ": ", what, " is not supported"));
  }

  absl::Status Outside(char c) {
    if (Next("}+")) return Refuse("a repeated repetition {n,m}+");
    if (Next("(*") || Next("(?(") || Next("(?C") || Next("(?R") || Next("(?&") || Next("(?P")) {
      return Refuse("this kind of group");
    }
    if (Next("(?") && at_ + 2 < pattern_.size() && absl::ascii_isdigit(pattern_[at_ + 2])) {
      return Refuse("this kind of group");
    }
    if (c == '[') {
      in_set_ = true;
      const size_t opening = Next("[^") ? 2 : 1;
      Copy(opening);
      if (Next("]")) return Refuse("a set that begins with ]");
      return absl::OkStatus();
    }
    Copy(1);
    return absl::OkStatus();
  }

  absl::Status InSet(char c) {
    if (c == '[') return Refuse("a set within a set");
    if (Next("&&")) return Refuse("&& in a set");
    if (c == ']') in_set_ = false;
    Copy(1);
    return absl::OkStatus();
  }

  absl::Status Escape() {
    const char c = at_ + 1 < pattern_.size() ? pattern_[at_ + 1] : '\0';
    if (c == '\0') return absl::InvalidArgumentError("regular expression ends with a backslash");
    if (c == 's') return Set(kSpace, /*negated=*/false);
    if (c == 'S' && in_set_) return Set(kNotSpace, /*negated=*/false);
    if (c == 'S') return Set(kSpace, /*negated=*/true);
    if (c == 'w') return Set(kWord, /*negated=*/false);
    if (c == 'W' && !in_set_) return Set(kWord, /*negated=*/true);
    if (c == 'u') return CodeUnit();
    const bool known = absl::string_view("pPrntfdDx").find(c) != absl::string_view::npos;
    if (absl::ascii_isalnum(c) && !known) return Refuse(absl::StrCat("\\", std::string(1, c)));
    // \p{L} and the like as a whole: their closing brace ends no repetition.
    const size_t close = pattern_.find('}', at_);
    const bool braced = known && pattern_.substr(at_ + 2, 1) == "{" && close != pattern_.npos;
    Copy(braced ? close + 1 - at_ : 2);
    return absl::OkStatus();
  }

  // Replaces the two characters of an escape by a set.
  absl::Status Set(absl::string_view contents, bool negated) {
    if (in_set_) {
      absl::StrAppend(&out_, contents);
    } else {
      absl::StrAppend(&out_, negated ? "[^" : "[", contents, "]");
    }
    at_ += 2;
    return absl::OkStatus();
  }

  absl::Status CodeUnit() {
    const absl::string_view digits = pattern_.substr(at_ + 2, 4);
    bool valid = digits.size() == 4;
    for (const char digit : digits) valid = valid && absl::ascii_isxdigit(digit);
    if (!valid) return absl::InvalidArgumentError("regular expression: \\u needs four hex digits");
    absl::StrAppend(&out_, "\\x{", digits, "}");
    at_ += 6;
    return absl::OkStatus();
  }

  const absl::string_view pattern_;
  size_t at_ = 0;
  bool in_set_ = false;
  std::string out_;
};

}  // namespace

absl::StatusOr<std::string> ToPcre2Pattern(absl::string_view pattern) {
  return Translator(pattern).Run();
}

std::string LiteralPattern(absl::string_view text) {
  std::string out;
  for (const char c : text) {
    // A backslash before an ASCII character that is no letter or digit always means that character.
    if (absl::ascii_isascii(c) && !absl::ascii_isalnum(c)) out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

}  // namespace switchboard::text
