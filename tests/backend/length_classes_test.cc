#include "yona/backend/length_classes.h"

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

TEST(LengthClasses, EndAtPowersOfTwo) {
  EXPECT_EQ(length_class(0), 1U);
  EXPECT_EQ(length_class(1), 1U);
  EXPECT_EQ(length_class(2), 2U);
  EXPECT_EQ(length_class(3), 4U);
  EXPECT_EQ(length_class(64), 1U << 6U);
  EXPECT_EQ(length_class(65), 1U << 7U);
}

TEST(LengthClasses, SayWhetherKernelsHaveAnythingToDo) {
  const LengthClasses lengths = length_class(10) | length_class(300);
  EXPECT_TRUE(some_up_to(lengths, 64));
  EXPECT_TRUE(some_up_to(lengths, 16));
  EXPECT_FALSE(some_up_to(lengths, 8));
  EXPECT_FALSE(some_between(lengths, 64, 256));
  EXPECT_FALSE(some_between(lengths, 16, 256));
  EXPECT_TRUE(some_between(lengths, 8, 256));
  EXPECT_TRUE(some_between(lengths, 64, 512));
  EXPECT_FALSE(some_between(lengths, 64, 64));
}

TEST(LengthClasses, AreAllThereWhereNobodyHasCounted) {
  EXPECT_TRUE(some_up_to(kAnyLengths, 1));
  EXPECT_TRUE(some_between(kAnyLengths, 64, 256));
}

}  // namespace
}  // namespace yona::testing
