#include "yona/train/readbacks.h"

#include <array>

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

TEST(Readbacks, ACopyIsThatOfItsTimeAndBelongsToTheCaller) {
  Readbacks readbacks(shared_backend("cpu"));
  std::array<double, 2> numbers{1.5, 2.5};
  const auto first = readbacks.start(numbers.data(), sizeof(numbers));
  EXPECT_EQ(static_cast<const double*>(first->wait())[1], 2.5);
  numbers = {3.5, 4.5};
  const auto second = readbacks.start(numbers.data(), sizeof(numbers));
  EXPECT_NE(first, second);
  EXPECT_EQ(static_cast<const double*>(second->wait())[0], 3.5);
  EXPECT_EQ(static_cast<const double*>(first->wait())[0], 1.5);
}

TEST(Readbacks, MemoryThatNobodyHoldsIsUsedAgain) {
  Readbacks readbacks(shared_backend("cpu"));
  const double number = 1;
  const Readback* first = readbacks.start(&number, sizeof(number)).get();
  const auto held = readbacks.start(&number, sizeof(number));
  EXPECT_EQ(held.get(), first);
  EXPECT_NE(readbacks.start(&number, sizeof(number)).get(), first);
}

}  // namespace
}  // namespace yona::testing
