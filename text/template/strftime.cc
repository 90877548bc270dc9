#include "text/template/strftime.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"

namespace switchboard::text::jinja {
namespace {

constexpr absl::string_view kDays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                       "Friday", "Saturday", "Sunday"};
constexpr absl::string_view kMonths[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};

class TimeFormatter {
 public:
  explicit TimeFormatter(absl::Time time)
      : time_(time),
        now_(absl::ToCivilSecond(time, absl::UTCTimeZone())),
        weekday_(static_cast<int>(absl::GetWeekday(now_))),
        year_day_(absl::GetYearDay(now_)) {}

  std::string Format(absl::string_view format) const {
    std::string out;
    for (size_t i = 0; i < format.size(); ++i) {
      if (format[i] != '%' || i + 1 == format.size()) {
        out.push_back(format[i]);
        continue;
      }
      // %-d and the like: glibc's way to leave padding out.
      const bool bare = format[i + 1] == '-' && i + 2 < format.size();
      i += bare ? 2 : 1;
      out += bare ? WithoutPadding(Directive(format[i])) : Directive(format[i]);
    }
    return out;
  }

 private:
  static std::string WithoutPadding(std::string number) {
    const size_t first = number.find_first_not_of("0 ");
    return first == std::string::npos ? number.substr(number.size() - 1) : number.substr(first);
  }

  static std::string Two(int64_t number) { return absl::StrFormat("%02d", number); }
  int Hour12() const { return (now_.hour() + 11) % 12 + 1; }

  // The number of the week by ISO 8601, and the year it belongs to.
  void IsoWeek(int* week, int64_t* year) const {
    const absl::CivilDay thursday = absl::CivilDay(now_) + (3 - weekday_);
    *year = thursday.year();
    *week = (absl::GetYearDay(thursday) - 1) / 7 + 1;
  }

  std::string Composite(char directive) const {
    switch (directive) {
      case 'c':
        return Format("%a %b %e %H:%M:%S %Y");
      case 'D':
      case 'x':
        return Format("%m/%d/%y");
      case 'F':
        return Format("%Y-%m-%d");
      case 'R':
        return Format("%H:%M");
      case 'r':
        return Format("%I:%M:%S %p");
      case 'T':
      case 'X':
        return Format("%H:%M:%S");
      default:
        return absl::StrCat("%", std::string(1, directive));
    }
  }

  std::string OfTheDate(char directive) const {
    int week;
    int64_t iso_year;
    IsoWeek(&week, &iso_year);
    switch (directive) {
      case 'a':
        return std::string(kDays[weekday_].substr(0, 3));
      case 'A':
        return std::string(kDays[weekday_]);
      case 'b':
      case 'h':
        return std::string(kMonths[now_.month() - 1].substr(0, 3));
      case 'B':
        return std::string(kMonths[now_.month() - 1]);
      case 'C':
        return Two(now_.year() / 100);
      case 'd':
        return Two(now_.day());
      case 'e':
        return absl::StrFormat("%2d", now_.day());
      case 'g':
        return Two(iso_year % 100);
      case 'G':
        return absl::StrCat(iso_year);
      case 'j':
        return absl::StrFormat("%03d", year_day_);
      case 'm':
        return Two(now_.month());
      case 'u':
        return absl::StrCat(weekday_ + 1);
      case 'U':  // weeks begin on Sunday
        return Two((year_day_ + 6 - (weekday_ + 1) % 7) / 7);
      case 'V':
        return Two(week);
      case 'w':
        return absl::StrCat((weekday_ + 1) % 7);
      case 'W':  // weeks begin on Monday
        return Two((year_day_ + 6 - weekday_) / 7);
      case 'y':
        return Two(now_.year() % 100);
      case 'Y':
        return absl::StrCat(now_.year());
      default:
        return Composite(directive);
    }
  }

  std::string Directive(char directive) const {
    switch (directive) {
      case '%':
        return "%";
      case 'f':
        return absl::StrFormat("%06d", absl::ToUnixMicros(time_) % 1'000'000);
      case 'H':
        return Two(now_.hour());
      case 'I':
        return Two(Hour12());
      case 'k':
        return absl::StrFormat("%2d", now_.hour());
      case 'l':
        return absl::StrFormat("%2d", Hour12());
      case 'M':
        return Two(now_.minute());
      case 'n':
        return "\n";
      case 'p':
        return now_.hour() < 12 ? "AM" : "PM";
      case 'P':
        return now_.hour() < 12 ? "am" : "pm";
      case 's':
        return absl::StrCat(absl::ToUnixSeconds(time_));
      case 'S':
        return Two(now_.second());
      case 't':
        return "\t";
      case 'z':
      case 'Z':
        return "";
      default:
        return OfTheDate(directive);
    }
  }

  const absl::Time time_;
  const absl::CivilSecond now_;
  const int weekday_;   // from Monday, 0
  const int year_day_;  // from 1
};

}  // namespace

std::string FormatTime(absl::string_view format, absl::Time time) {
  return TimeFormatter(time).Format(format);
}

}  // namespace switchboard::text::jinja
