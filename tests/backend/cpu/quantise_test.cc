// Rounding to bytes: where values go, what the scales are, and rows that are hard to scale.

#include <gtest/gtest.h>

#include "yona/backend/cpu/int8_product.h"
#include "yona/backend/cpu/int8_rows.h"

#include "tests/backend/cpu/int8_problem.h"

namespace yona {
namespace {

using test::Int8Memory;
using test::Matrix;

Int8Memory quantised(Matrix weights, const Kernels& kernels, Exec& exec) {
  Int8Memory memory(weights.rows(), weights.cols());
  kernels.quantise({.weights = weights.view(), .to = memory.weights()}, exec);
  return memory;
}

TEST(CpuQuantise, IsTheReferencesToTheLastBit) {
  test::on_every_isa([] {
    for (const std::int64_t n : {0, 1, 63, 64, 65, 200}) {
      for (const std::int64_t k : {1, 2, 3, 4, 5, 16, 17, 67, 512}) {
        const Matrix weights = Matrix::random(n, k, 7, 3);
        const Int8Memory expected = quantised(weights, reference_kernels(), test::one_thread());
        const Int8Memory got = quantised(weights, cpu_kernels(), test::two_threads());
        EXPECT_EQ(got.values, expected.values) << n << "×" << k;
        EXPECT_EQ(got.scales, expected.scales) << n << "×" << k;
        EXPECT_EQ(got.sums, expected.sums) << n << "×" << k;
      }
    }
  });
}

TEST(CpuQuantise, IsWithinHalfAStepOfEveryWeight) {
  const Matrix weights = Matrix::random(70, 33, 3);
  const Int8Memory bytes = quantised(weights, cpu_kernels(), test::one_thread());
  for (std::int64_t r = 0; r < 70; ++r) {
    const float scale = bytes.scales[static_cast<std::size_t>(r)];
    std::int32_t sum = 0;
    std::int32_t largest = 0;
    for (std::int64_t j = 0; j < 33; ++j) {
      const std::int32_t value = bytes.value(r, j);
      EXPECT_LE(std::abs(weights.at(r, j) - scale * static_cast<float>(value)), 0.5001F * scale);
      sum += value;
      largest = std::max(largest, std::abs(value));
    }
    EXPECT_EQ(largest, 127) << r;
    EXPECT_EQ(bytes.sums[static_cast<std::size_t>(r)], sum) << r;
  }
}

TEST(CpuQuantise, TakesRowsThatAreHardToScale) {
  Matrix weights(6, 4);
  weights.at(1, 0) = 3e38F;  // the largest there is
  weights.at(1, 3) = -3e38F;
  weights.at(2, 1) = 1e-40F;  // next to nothing: nothing
  weights.at(3, 2) = NAN;
  weights.at(4, 0) = INFINITY;
  weights.at(5, 0) = -1e-20F;
  test::on_every_isa([&] {
    for (const Kernels* kernels : {&reference_kernels(), &cpu_kernels()}) {
      const Int8Memory bytes = quantised(weights, *kernels, test::one_thread());
      EXPECT_EQ(bytes.scales[0], 0.0F);
      EXPECT_EQ(bytes.value(0, 0), 0);
      EXPECT_EQ(bytes.value(1, 0), 127);
      EXPECT_EQ(bytes.value(1, 3), -127);
      EXPECT_EQ(bytes.scales[2], 0.0F);
      EXPECT_TRUE(std::isnan(bytes.scales[3]));
      EXPECT_TRUE(std::isnan(bytes.scales[4]));
      EXPECT_EQ(bytes.value(5, 0), -127);
    }
  });
}

TEST(Int8Rows, OfTheLeftSideHaveTheOffsetAndEndInNothing) {
  const std::vector<float> x = {1.0F, -1.0F, 0.5F, 0.25F, 0.0F};
  test::on_every_isa([&] {
    std::vector<std::uint8_t> bytes(9, 1);
    EXPECT_EQ(cpu::round_to_offset_bytes(x.data(), 5, bytes.data()), 1.0F / 127.0F);
    EXPECT_EQ(bytes,
              (std::vector<std::uint8_t>{255, 1, 128 + 64, 128 + 32, 128, 128, 128, 128, 1}));
  });
}

}  // namespace
}  // namespace yona
