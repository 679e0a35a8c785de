// The library itself is tried on a GPU: tests/parallel/nccl/exchange_test.py.

#include "yona/parallel/nccl.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/harness/thread_ranks.h"

namespace yona {
namespace {

TEST(Nccl, IsNotOpenedWhereItIsOff) {
  ::setenv("YONA_NCCL", "off", 1);
  run_ranks(2, [](Communicator& ranks) {
    open_nccl(ranks);
    EXPECT_EQ(ranks.devices(), nullptr);
  });
  ::unsetenv("YONA_NCCL");
}

}  // namespace
}  // namespace yona
