#include "yona/serve/engine/client_turns.h"

#include <gtest/gtest.h>

namespace yona::serve {
namespace {

TEST(ClientTurns, GiveNoCreditForTimeWithoutRequests) {
  ClientTurns turns;
  ClientTurns::Client& busy = turns.arrive("busy");
  busy.served = 1000;
  ClientTurns::Client& fresh = turns.arrive("new");
  EXPECT_EQ(fresh.served, 1000);
  fresh.served += 50;
  turns.leave(fresh);
  busy.served = 1020;
  EXPECT_EQ(turns.arrive("new").served, 1050);  // what it was given lately counts
  EXPECT_EQ(turns.arrive("other").served, 1020);
}

TEST(ClientTurns, AreForgottenOnceNobodyWaits) {
  ClientTurns turns;
  turns.arrive("a").served = 10;
  ClientTurns::Client& a = turns.arrive("a");
  EXPECT_EQ(a.served, 10);
  EXPECT_EQ(a.jobs, 2);
  turns.leave(a);
  EXPECT_EQ(turns.clients().size(), 1U);
  turns.leave(a);
  EXPECT_TRUE(turns.clients().empty());
}

TEST(ClientTurns, RememberABoundedNumberOfClientsThatAreAway) {
  ClientTurns turns;
  ClientTurns::Client& stays = turns.arrive("stays");
  for (int i = 0; i < 5000; ++i) {
    turns.leave(turns.arrive(std::to_string(i)));
  }
  EXPECT_LE(turns.clients().size(), 1025U);
  EXPECT_EQ(stays.jobs, 1);
}

}  // namespace
}  // namespace yona::serve
