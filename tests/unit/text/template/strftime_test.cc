#include "text/template/strftime.h"

#include <gtest/gtest.h>

namespace switchboard::text::jinja {
namespace {

absl::Time Utc(int year, int month, int day, int hour = 0, int minute = 0, int second = 0) {
  return absl::FromCivil(absl::CivilSecond(year, month, day, hour, minute, second),
                         absl::UTCTimeZone());
}

TEST(Strftime, NamesDaysAndMonthsInEnglish) {
  EXPECT_EQ(FormatTime("%A %a %d %B %b %Y", Utc(2024, 2, 29)), "Thursday Thu 29 February Feb 2024");
}

TEST(Strftime, CountsTheHoursOfBothClocks) {
  EXPECT_EQ(FormatTime("%H %I %p", Utc(2024, 1, 1, 0)), "00 12 AM");
  EXPECT_EQ(FormatTime("%H %I %p", Utc(2024, 1, 1, 12)), "12 12 PM");
  EXPECT_EQ(FormatTime("%H %I %p", Utc(2024, 1, 1, 23)), "23 11 PM");
}

TEST(Strftime, CountsWeeksByIsoAcrossTheYear) {
  EXPECT_EQ(FormatTime("%G-W%V-%u", Utc(2021, 1, 3)), "2020-W53-7");
  EXPECT_EQ(FormatTime("%G-W%V-%u", Utc(2019, 12, 30)), "2020-W01-1");
}

TEST(Strftime, CountsTheDaysOfTheYear) {
  EXPECT_EQ(FormatTime("%j %U %W %w", Utc(2024, 12, 31)), "366 52 53 2");
}

TEST(Strftime, LeavesWhatItDoesNotKnow) {
  EXPECT_EQ(FormatTime("100%% %Q %", Utc(2024, 1, 1)), "100% %Q %");
}

}  // namespace
}  // namespace switchboard::text::jinja
