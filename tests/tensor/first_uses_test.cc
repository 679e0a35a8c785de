#include "yona/tensor/first_uses.h"

#include <gtest/gtest.h>

#include "yona/backend/backend.h"
#include "yona/base/error.h"
#include "yona/tensor/context.h"

namespace yona {
namespace {

// Parameters in four pieces of ten elements, and a tape.
class Uses : public ::testing::Test {
 protected:
  // An op that uses elements of the buffer.
  void use(std::int64_t begin, std::int64_t count) {
    uses_.note(weights_.columns(begin, count));
    tape_.record([] {});
  }

  std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 1});
  Region region_{*backend_, 1 << 20};
  Tensor weights_{region_, DType::f32, Shape{1, 35}};
  Tape tape_;
  FirstUses uses_{weights_, tape_, 10};
};

TEST_F(Uses, AreFinalWhenTheFirstUserHasRun) {
  use(0, 10);
  use(10, 10);
  use(20, 15);
  EXPECT_EQ(uses_.final_from(), 40);
  tape_.step();
  EXPECT_EQ(uses_.final_from(), 20);
  tape_.step();
  EXPECT_EQ(uses_.final_from(), 10);
  tape_.step();
  EXPECT_EQ(uses_.final_from(), 0);
}

TEST_F(Uses, OfTiedWeightsEndWithTheFirst) {
  use(30, 5);  // an embedding,
  use(0, 10);
  use(30, 5);  // and the projection that shares its table
  tape_.step();
  EXPECT_EQ(uses_.final_from(), 40);
  tape_.step();
  EXPECT_EQ(uses_.final_from(), 40);
  tape_.step();
  EXPECT_EQ(uses_.final_from(), 0);
}

TEST_F(Uses, CountForEveryPieceThatTheyTouch) {
  use(8, 3);
  use(25, 10);
  tape_.step();
  EXPECT_EQ(uses_.final_from(), 20);  // elements 11 to 19 are used by nothing
}

TEST_F(Uses, OfRowsThatAreApartReachFromTheFirstToTheLast) {
  const Tensor matrix = weights_.slice(0, Shape{3, 10}).columns(2, 4);
  uses_.note(matrix);
  tape_.record([] {});
  EXPECT_EQ(uses_.final_from(), 30);
  tape_.step();
  EXPECT_EQ(uses_.final_from(), 0);
}

TEST_F(Uses, OfOtherTensorsDoNotCount) {
  const Tensor other(region_, DType::f32, Shape{1, 35});
  uses_.note(other);
  uses_.note(Tensor());
  tape_.record([] {});
  EXPECT_EQ(uses_.final_from(), 0);
}

TEST_F(Uses, BeginAgainWithEveryPass) {
  use(0, 35);
  tape_.backward();
  EXPECT_EQ(uses_.final_from(), 0);
  uses_.begin();
  use(0, 35);
  EXPECT_EQ(uses_.final_from(), 40);
  tape_.backward();
}

// A layer that is recomputed names its parameters in the forward pass, and again in the backward
// pass, while its own closure runs.
TEST_F(Uses, MayBeNamedAgainUntilTheyAreFinal) {
  uses_.note(weights_.columns(10, 25));
  tape_.record([&] { uses_.note(weights_.columns(20, 5)); });
  EXPECT_EQ(uses_.final_from(), 40);
  tape_.step();
  EXPECT_EQ(uses_.final_from(), 0);
  EXPECT_THROW(uses_.note(weights_.columns(20, 5)), Error);
}

TEST_F(Uses, AreNotedByOpsWithoutATapeToo) {
  weights_.set_requires_gradient();
  const Context c{.region = region_, .first_uses = &uses_};
  EXPECT_FALSE(records(c, weights_.columns(30, 5)));
  tape_.record([] {});
  EXPECT_EQ(uses_.final_from(), 40);
}

}  // namespace
}  // namespace yona
