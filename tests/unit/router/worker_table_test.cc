#include "router/core/worker_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace switchboard::router {
namespace {

using ::testing::ElementsAre;

WorkerReport ReportOf(const std::string& incarnation, std::vector<std::string> models) {
  WorkerReport report;
  report.incarnation = incarnation;
  report.has_models = !models.empty();
  for (const std::string& name : models) {
    report.models.push_back({.name = name, .fingerprint = "f" + incarnation});
  }
  report.max_running = 4;
  return report;
}

std::vector<std::string> NamesOf(const std::vector<ModelName>& models) {
  std::vector<std::string> names;
  for (const ModelName& model : models) names.push_back(model.name + "/" + model.fingerprint);
  return names;
}

TEST(WorkerTableTest, ModelsAreTheUnionInOrderOfTheWorkers) {
  WorkerTable table({"a:1", "b:1"});
  table.Report(1, ReportOf("2", {"y", "x"}), absl::ZeroDuration());
  table.Report(0, ReportOf("1", {"x", "z"}), absl::ZeroDuration());
  EXPECT_THAT(NamesOf(table.Models()), ElementsAre("x/f1", "z/f1", "y/f2"));
  table.Lose(0);
  EXPECT_THAT(NamesOf(table.Models()), ElementsAre("y/f2", "x/f2"));
  EXPECT_TRUE(table.Knows("z", ""));
  EXPECT_TRUE(table.Knows("x", "f1"));
  EXPECT_FALSE(table.Knows("x", "f3"));
}

TEST(WorkerTableTest, LaterReportsKeepTheModelsOfTheFirst) {
  WorkerTable table({"a:1"});
  EXPECT_FALSE(table.Report(0, ReportOf("1", {"x"}), absl::ZeroDuration()));
  EXPECT_FALSE(table.Report(0, ReportOf("1", {}), absl::ZeroDuration()));
  EXPECT_THAT(NamesOf(table.Models()), ElementsAre("x/f1"));
}

TEST(WorkerTableTest, ANewIncarnationIsNoticedAndStartsAfresh) {
  WorkerTable table({"a:1"});
  table.Report(0, ReportOf("1", {"x"}), absl::ZeroDuration());
  table.Avoid(0, absl::Seconds(9));
  table.Lose(0);
  EXPECT_TRUE(table.Report(0, ReportOf("2", {"y"}), absl::ZeroDuration()));
  EXPECT_THAT(NamesOf(table.Models()), ElementsAre("y/f2"));
  EXPECT_EQ(table[0].avoid_until, absl::ZeroDuration());
}

TEST(WorkerTableTest, NonsenseNumbersAreBounded) {
  WorkerTable table({"a:1", "b:1"});
  WorkerReport report = ReportOf("1", {"x"});
  report.max_running = -5;
  report.max_waiting = -5;
  report.waiting = -5;
  table.Report(0, report, absl::ZeroDuration());
  EXPECT_EQ(table[0].report.max_running, 1);
  EXPECT_EQ(table[0].report.max_waiting, 0);
  EXPECT_EQ(table[0].report.waiting, 0);
  report.max_running = 2147483647;
  table.Report(1, report, absl::ZeroDuration());
  EXPECT_EQ(table.capacity(), (1 << 20) + 1);
}

TEST(WorkerTableTest, SilenceIsCountedFromTheLastSign) {
  WorkerTable table({"a:1", "b:1"});
  EXPECT_FALSE(table.OldestSign().has_value());
  table.Report(0, ReportOf("1", {"x"}), absl::Seconds(1));
  table.Report(1, ReportOf("2", {"x"}), absl::Seconds(2));
  EXPECT_EQ(table.OldestSign(), absl::Seconds(1));
  EXPECT_THAT(table.SilentSince(absl::Seconds(1)), ElementsAre(0));
  table.SignOfLife(0, absl::Seconds(3));
  EXPECT_THAT(table.SilentSince(absl::Seconds(2)), ElementsAre(1));
  table.Lose(1);
  EXPECT_EQ(table.connected(), 1);
  EXPECT_EQ(table.OldestSign(), absl::Seconds(3));
}

TEST(WorkerTableTest, TheEndOfAnAvoidanceStaysDueUntilItIsSeen) {
  WorkerTable table({"a:1", "b:1"});
  EXPECT_FALSE(table.NextAvoidEnd().has_value());
  table.Avoid(0, absl::Seconds(2));
  table.Avoid(1, absl::Seconds(1));
  EXPECT_EQ(table.NextAvoidEnd(), absl::Seconds(1));
  table.EndAvoidance(absl::Milliseconds(999));
  EXPECT_EQ(table.NextAvoidEnd(), absl::Seconds(1));
  table.EndAvoidance(absl::Seconds(1));
  EXPECT_EQ(table.NextAvoidEnd(), absl::Seconds(2));
  table.EndAvoidance(absl::Seconds(3));
  EXPECT_FALSE(table.NextAvoidEnd().has_value());
}

TEST(WorkerTableTest, AWorkerIsCalledByItsAddressUntilItSaysItsName) {
  WorkerTable table({"a:1"});
  EXPECT_EQ(table[0].Name(), "a:1");
  WorkerReport report = ReportOf("1", {"x"});
  report.worker = "gpu-0";
  table.Report(0, report, absl::ZeroDuration());
  EXPECT_EQ(table[0].Name(), "gpu-0");
}

}  // namespace
}  // namespace switchboard::router
