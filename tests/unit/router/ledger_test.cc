#include "router/core/ledger.h"

#include <gtest/gtest.h>

namespace switchboard::router {
namespace {

TEST(LedgerTest, LoadIsTheSumOfChoicesPerWorker) {
  Ledger ledger(2);
  ledger.Enter(1, 0, 3);
  ledger.Enter(2, 0, 1);
  ledger.Enter(3, 1, 5);
  EXPECT_EQ(ledger.Choices(0), 4);
  EXPECT_EQ(ledger.Choices(1), 5);
  ledger.Strike(1, 0);
  EXPECT_EQ(ledger.Choices(0), 1);
  EXPECT_FALSE(ledger.empty());
  ledger.Strike(2, 0);
  ledger.Strike(3, 1);
  EXPECT_EQ(ledger.Choices(0), 0);
  EXPECT_TRUE(ledger.empty());
}

TEST(LedgerDeathTest, StrikingTwiceStopsTheProcess) {
  Ledger ledger(1);
  ledger.Enter(1, 0, 1);
  ledger.Strike(1, 0);
  EXPECT_DEATH(ledger.Strike(1, 0), "ledger.cc");
}

TEST(LedgerDeathTest, EnteringTwiceStopsTheProcess) {
  Ledger ledger(1);
  ledger.Enter(1, 0, 1);
  EXPECT_DEATH(ledger.Enter(1, 0, 1), "ledger.cc");
}

}  // namespace
}  // namespace switchboard::router
