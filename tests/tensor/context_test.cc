#include "yona/tensor/context.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

using Floats = std::vector<float>;

class ContextTest : public ::testing::Test {
 protected:
  ContextTest() { soil(region, 1 << 18); }
  Tensor leaf(const Shape& shape) {
    Tensor tensor(region, DType::f32, shape);
    tensor.set_requires_gradient();
    return tensor;
  }

  Region region{shared_backend("reference"), 1 << 20};
  Context c{.region = region};
};

TEST_F(ContextTest, MakesZerosOutOfUsedMemory) {
  EXPECT_EQ(c.zeros(DType::f32, {2, 3}).to_vector<float>(), Floats(6, 0.0F));
  EXPECT_EQ(c.zeros(DType::f64, {2}).to_vector<double>(), std::vector<double>(2, 0.0));
}

TEST_F(ContextTest, DropsOnlyInTraining) {
  EXPECT_FALSE(c.dropout(0.5, 1));
  c.training = true;
  EXPECT_TRUE(c.dropout(0.5, 1));
  EXPECT_FALSE(c.dropout(0.0, 1));
  EXPECT_EQ(c.dropout(0.5, 1).threshold, 32768U);
  EXPECT_EQ(c.dropout(0.5, 1).scale, 2.0F);
}

TEST_F(ContextTest, GivesEveryCoordinateOfTheRunItsOwnKey) {
  const RandomCounters base{.seed = 3, .update = 5, .micro_batch = 1, .rank = 2, .pass = 0};
  std::set<std::uint64_t> keys{base.key()};
  for (int field = 0; field < 5; ++field) {
    RandomCounters other = base;
    other.seed += field == 0 ? 1 : 0;
    other.update += field == 1 ? 1 : 0;
    other.micro_batch += field == 2 ? 1 : 0;
    other.rank += field == 3 ? 1 : 0;
    other.pass += field == 4 ? 1 : 0;
    keys.insert(other.key());
  }
  EXPECT_EQ(keys.size(), 6U);
}

TEST_F(ContextTest, RecordsWhenThereIsATapeAndAnInputTakesGradients) {
  Tape tape;
  const Tensor with = leaf({2});
  const Tensor without = c.zeros(DType::f32, {2});
  EXPECT_FALSE(records(c, with));
  c.tape = &tape;
  EXPECT_TRUE(records(c, with));
  EXPECT_TRUE(records(c, without, with));
  EXPECT_FALSE(records(c, without));
  EXPECT_FALSE(records(c, Tensor()));
}

TEST_F(ContextTest, OffersNoGradientWhereNoneIsTaken) {
  const GradientTarget target = gradient_target(c.zeros(DType::f32, {2}), region);
  EXPECT_FALSE(target.tensor);
  EXPECT_FALSE(target.view());
  EXPECT_FALSE(gradient_sum(Tensor(), region));
}

TEST_F(ContextTest, LetsTheFirstGradientOverwriteAndTheNextAdd) {
  const Tensor x = leaf({2, 3});
  EXPECT_FALSE(gradient_target(x, region).accumulate);
  EXPECT_TRUE(gradient_target(x, region).accumulate);
  EXPECT_EQ(gradient_target(x, region).tensor.raw(), x.gradient().raw());
}

TEST_F(ContextTest, ZeroesTheRestWhenAPartComesFirst) {
  const Tensor x = leaf({2, 3});
  const GradientTarget part = gradient_target(x.columns(1, 1), region);
  EXPECT_TRUE(part.accumulate);
  EXPECT_EQ(part.tensor.shape(), (Shape{2, 1}));
  EXPECT_EQ(x.gradient().to_vector<float>(), Floats(6, 0.0F));
}

TEST_F(ContextTest, BeginsSumsAtZeroAndGoesOn) {
  const Tensor x = leaf({3});
  const View first = gradient_sum(x, region);
  EXPECT_EQ(x.gradient().to_vector<float>(), Floats(3, 0.0F));
  first.row<float>(0)[1] = 5;
  gradient_sum(x, region);
  EXPECT_EQ(x.gradient().to_vector<float>(), (Floats{0, 5, 0}));
}

TEST_F(ContextTest, LetsThePartsOfAProductOverwriteTogether) {
  const Tensor QKV = leaf({2, 7});
  const GradientTargets3 three =
      gradient_targets(QKV.columns(0, 2), QKV.columns(2, 2), QKV.columns(4, 3), region);
  EXPECT_FALSE(three.a.accumulate || three.b.accumulate || three.c.accumulate);
  const GradientTargets3 again =
      gradient_targets(QKV.columns(0, 2), QKV.columns(2, 2), QKV.columns(4, 3), region);
  EXPECT_TRUE(again.a.accumulate && again.b.accumulate && again.c.accumulate);

  const Tensor Q = leaf({4, 2});
  const Tensor KV = leaf({2, 5});
  const GradientTargets3 cross = gradient_targets(Q, KV.columns(0, 2), KV.columns(2, 3), region);
  EXPECT_FALSE(cross.a.accumulate || cross.b.accumulate || cross.c.accumulate);
}

TEST_F(ContextTest, AddsWherePartsMeetOrLeaveSomethingOut) {
  const auto expect_zeroed = [&](const Tensor& whole, const Tensor& a, const Tensor& b,
                                 const Tensor& d) {
    const GradientTargets3 targets = gradient_targets(a, b, d, region);
    EXPECT_TRUE(targets.a.accumulate && targets.b.accumulate && targets.c.accumulate);
    EXPECT_EQ(whole.gradient().to_vector<float>(),
              Floats(static_cast<std::size_t>(whole.elements()), 0.0F));
  };
  const auto part = [](const Tensor& x, std::int64_t at) { return x.columns(at, 2); };
  const Tensor same = leaf({2, 2});
  expect_zeroed(same, same, same, same);
  const Tensor twice = leaf({2, 6});
  expect_zeroed(twice, part(twice, 0), part(twice, 2), part(twice, 0));
  const Tensor overlap = leaf({2, 6});
  expect_zeroed(overlap, part(overlap, 0), part(overlap, 1), part(overlap, 4));
  const Tensor gap = leaf({2, 7});
  expect_zeroed(gap, part(gap, 0), part(gap, 2), part(gap, 5));
}

}  // namespace
}  // namespace yona::testing
