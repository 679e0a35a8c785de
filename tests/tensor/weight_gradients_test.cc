// Gradients of weights that are put off: what is computed when, with what, and what is kept.

#include "yona/tensor/weight_gradients.h"

#include <gtest/gtest.h>

#include "yona/tensor/context.h"
#include "yona/tensor/ops/feed_forward.h"
#include "yona/tensor/ops/linear.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

// How often a kernel was run.
struct KernelRuns : Profile {
  void end(std::string_view name) override { ++runs[name]; }
  std::map<std::string_view, int> runs;
};

class WeightGradientsTest : public ::testing::Test {
 protected:
  WeightGradientsTest() : region_(backend_, std::int64_t{1} << 28U) {
    backend_.exec().profile = &seen_;
  }
  ~WeightGradientsTest() override { backend_.exec().profile = nullptr; }

  Tensor tokens(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
    Tensor x(region_, DType::bf16, Shape{rows, cols});
    std::vector<std::uint16_t> values;
    for (const double value : random_values(rows * cols, seed)) {
      values.push_back(to_bf16(static_cast<float>(value)));
    }
    x.upload(values);
    return x;
  }
  Tensor ones(std::int64_t rows, std::int64_t cols) {
    Tensor x(region_, DType::f32, Shape{rows, cols});
    x.upload(std::vector<float>(static_cast<std::size_t>(rows * cols), 1.0F));
    return x;
  }
  // 1 + dyᵀ x, by the kernel of products.
  std::vector<float> expected(const Tensor& dy, const Tensor& x) {
    const Tensor dw = ones(dy.cols(), x.cols());
    backend_.kernels().matmul({.a = dy.view(),
                               .b = x.view(),
                               .c = dw.view(),
                               .transpose_a = true,
                               .accumulate = true,
                               .precision = Precision::bf16},
                              backend_.exec());
    return dw.to_vector<float>();
  }
  int launches() { return seen_.runs["weight_gradients"]; }

  Backend& backend_ = shared_backend("reference");
  Region region_;
  KernelRuns seen_;
};

TEST_F(WeightGradientsTest, WaitUntilTheyFillTheDevice) {
  WeightGradients gradients(backend_, 4);  // two weights of up to 256 × 256
  const Tensor dy = tokens(5, 3, 1);
  const Tensor x = tokens(5, 4, 2);
  const Tensor x2 = tokens(5, 6, 3);
  const Tensor first = ones(3, 4);
  const Tensor second = ones(3, 6);
  EXPECT_TRUE(gradients.add(dy, x, first));
  EXPECT_EQ(gradients.waiting(), 1U);
  EXPECT_EQ(first.to_vector<float>(), std::vector<float>(12, 1.0F));
  EXPECT_TRUE(gradients.add(dy, x2, second));
  EXPECT_EQ(gradients.waiting(), 0U);
  EXPECT_EQ(launches(), 1);
  EXPECT_EQ(first.to_vector<float>(), expected(dy, x));
  EXPECT_EQ(second.to_vector<float>(), expected(dy, x2));
}

TEST_F(WeightGradientsTest, ThatAreLeftAreComputedAtTheEnd) {
  WeightGradients gradients(backend_, 100);
  const Tensor dy = tokens(5, 3, 1);
  const Tensor x = tokens(5, 4, 2);
  const Tensor dw = ones(3, 4);
  gradients.add(dy, x, dw);
  gradients.finish();
  gradients.finish();  // nothing is left
  EXPECT_EQ(launches(), 1);
  EXPECT_EQ(dw.to_vector<float>(), expected(dy, x));
  gradients.add(dy, x, dw);
  gradients.clear();
  gradients.finish();
  EXPECT_EQ(launches(), 1);
}

TEST_F(WeightGradientsTest, SayHowFarIntoABufferTheyWait) {
  WeightGradients gradients(backend_, 1000);
  const Tensor buffer = ones(1, 100);
  EXPECT_EQ(gradients.wait_up_to(buffer), 0);
  gradients.add(tokens(2, 3, 1), tokens(2, 4, 2), buffer.slice(50, Shape{3, 4}));
  EXPECT_EQ(gradients.wait_up_to(buffer), 62);
  gradients.add(tokens(2, 3, 1), tokens(2, 4, 2), buffer.slice(10, Shape{3, 4}));
  EXPECT_EQ(gradients.wait_up_to(buffer), 62);
  gradients.finish();
  EXPECT_EQ(gradients.wait_up_to(buffer), 0);
}

TEST_F(WeightGradientsTest, AreComputedInGroupsOfNoMoreThanAKernelTakes) {
  WeightGradients gradients(backend_, 1000);
  const Tensor dy = tokens(2, 3, 1);
  const Tensor x = tokens(2, 4, 2);
  std::vector<Tensor> dw;
  for (std::size_t i = 0; i <= WeightGradients::kMost; ++i) {
    dw.push_back(ones(3, 4));
    gradients.add(dy, x, dw.back());
  }
  EXPECT_EQ(launches(), 1);
  EXPECT_EQ(gradients.waiting(), 1U);
  gradients.finish();
  for (const Tensor& each : dw) {
    EXPECT_EQ(each.to_vector<float>(), expected(dy, x));
  }
}

// One that would leave much of the device idle waits for the next.
TEST_F(WeightGradientsTest, DoNotTakeOneMoreThanFits) {
  WeightGradients gradients(backend_, 10);
  const Tensor x = tokens(2, 4, 2);
  gradients.add(tokens(2, 1000, 1), x, ones(1000, 4));  // eight tiles
  gradients.add(tokens(2, 500, 3), x, ones(500, 4));    // four
  EXPECT_EQ(launches(), 1);
  EXPECT_EQ(gradients.waiting(), 1U);
  gradients.finish();
}

// Sums into one weight, or into parts of it, are added in the order in which they came.
TEST_F(WeightGradientsTest, OfOneWeightAreAddedInOrder) {
  WeightGradients gradients(backend_, 100);
  const Tensor dy = tokens(5, 3, 1);
  const Tensor x = tokens(5, 4, 2);
  const Tensor dy2 = tokens(5, 2, 3);
  const Tensor dw = ones(3, 4);
  gradients.add(dy, x, dw);
  gradients.add(dy2, x, dw.row_range(1, 2));
  EXPECT_EQ(launches(), 1);  // of the first
  EXPECT_EQ(dw.to_vector<float>(), expected(dy, x));
  gradients.finish();
  EXPECT_EQ(launches(), 2);
  const Tensor both = ones(3, 4);
  gradients.add(dy, x, both);
  gradients.finish();
  gradients.add(dy2, x, both.row_range(1, 2));
  gradients.finish();
  EXPECT_EQ(dw.to_vector<float>(), both.to_vector<float>());
}

TEST_F(WeightGradientsTest, AreNotPutOffInOtherTypesOrWhereNoKernelTakesThem) {
  const Tensor dy = tokens(5, 3, 1);
  const Tensor x = tokens(5, 4, 2);
  const Tensor dw = ones(3, 4);
  EXPECT_FALSE(WeightGradients(backend_).add(dy, x, dw));
  WeightGradients gradients(backend_, 100);
  EXPECT_FALSE(gradients.add(ones(5, 3), x, dw));
  EXPECT_FALSE(gradients.add(dy, ones(5, 4), dw));
  EXPECT_FALSE(gradients.add(tokens(0, 3, 1), tokens(0, 4, 2), dw));
  EXPECT_EQ(gradients.waiting(), 0U);
}

// dy and x live until they are used; the gradient of an x that is kept for this alone does not.
TEST_F(WeightGradientsTest, KeepWhatTheyNeedAndNoMore) {
  WeightGradients gradients(backend_, 100);
  const std::int64_t before = region_.in_use();
  const Tensor dw = ones(64, 64);
  const Tensor other = ones(64, 64);
  const std::int64_t weights = region_.in_use();
  std::int64_t bytes = 0;  // that one of the tensors takes
  std::vector<float> sum;
  {
    const Tensor dy = tokens(64, 64, 1);
    bytes = region_.in_use() - weights;
    const Tensor x = tokens(64, 64, 2);
    x.set_requires_gradient();
    gradient_target(x, region_);  // of x
    sum = expected(dy, x);
    gradients.add(dy, x, dw);
  }
  EXPECT_EQ(region_.in_use() - weights, 3 * bytes);
  {
    const Tensor dy = tokens(64, 64, 3);
    gradients.add(dy, dy, other);
  }
  EXPECT_EQ(region_.in_use() - weights, 3 * bytes);  // dy, x and the other dy
  tokens(64, 64, 4);                                 // what was given back is written over
  gradients.finish();
  EXPECT_EQ(dw.to_vector<float>(), sum);
  EXPECT_EQ(region_.in_use(), weights);
  EXPECT_GT(weights, before);
}

}  // namespace
}  // namespace yona::testing
