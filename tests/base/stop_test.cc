#include "yona/base/stop.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(CheckStop, DoesNothingWithoutAFlagOrBeforeItIsSet) {
  std::atomic<bool> stop{false};
  EXPECT_NO_THROW(check_stop(nullptr, "work"));
  EXPECT_NO_THROW(check_stop(&stop, "work"));
}

TEST(CheckStop, SaysWhatWasInterrupted) {
  std::atomic<bool> stop{true};
  try {
    check_stop(&stop, "decode");
    FAIL();
  } catch (const Interrupted& error) {
    EXPECT_STREQ(error.what(), "decode: interrupted");
  }
}

}  // namespace
}  // namespace yona
