// Products with packed weights of 2 bytes: the bits of the same weights in f32, for every number of
// rows that takes another path and for both types; and the reference's results.

#include "yona/backend/cpu/half_panel.h"

#include <gtest/gtest.h>

#include "yona/backend/panels.h"
#include "yona/base/f16.h"

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

// Weights [n, k] whose values a type has, packed in f32 and in whole panels of 2 bytes.
struct HalfProblem {
  HalfProblem(std::int64_t m, std::int64_t n, std::int64_t k, DType half)
      : type(half),
        x(Matrix::random(m, k, 1, 3)),
        wide(Matrix::random(n, k, 2)),
        bias(Matrix::random(1, n, 4)) {
    const std::int64_t panels = (n + kPanelRows - 1) / kPanelRows;
    words.resize(static_cast<std::size_t>(panels * kPanelRows * k));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = 0; j < k; ++j) {
        const float value = wide.at(i, j);
        const std::uint16_t word = type == DType::bf16 ? to_bf16(value) : to_f16(value);
        wide.at(i, j) = type == DType::bf16 ? from_bf16(word) : from_f16(word);
        half_panel(weights(), i / kPanelRows)[j * kPanelRows + i % kPanelRows] = word;
      }
    }
    cpu_kernels().pack({.weights = wide.view()}, test::one_thread());
  }
  View weights() { return {words.data(), wide.rows(), wide.cols(), wide.cols(), type}; }
  Matrix product(const View& w, const Kernels& kernels, Exec& exec) {
    Matrix y = Matrix::random(x.rows(), wide.rows(), 3, 5);
    kernels.packed_matmul({.x = x.view(),
                           .weights = w,
                           .y = y.view(),
                           .bias = bias.view(),
                           .activation = Activation::relu},
                          exec);
    return y;
  }

  DType type;
  Matrix x, wide, bias;
  std::vector<std::uint16_t> words;
};

TEST(CpuHalfPanel, GivesTheBitsOfTheSameWeightsInF32) {
  test::on_every_isa([] {
    for (const DType type : {DType::bf16, DType::f16}) {
      for (const std::int64_t m : {1, 2, 3, 7, 130}) {
        for (const std::int64_t n : {1, 63, 64, 130, 64 * 9 + 5}) {
          HalfProblem problem(m, n, 67, type);
          const Matrix expected =
              problem.product(problem.wide.view(), cpu_kernels(), test::one_thread());
          EXPECT_TRUE(problem.product(problem.weights(), cpu_kernels(), test::one_thread()) ==
                      expected)
              << m << "×" << n;
          EXPECT_TRUE(problem.product(problem.weights(), cpu_kernels(), test::two_threads()) ==
                      expected)
              << m << "×" << n;
        }
      }
      HalfProblem deep(3, 70, 1100, type);  // more than one piece
      EXPECT_TRUE(deep.product(deep.weights(), cpu_kernels(), test::two_threads()) ==
                  deep.product(deep.wide.view(), cpu_kernels(), test::two_threads()));
    }
  });
}

TEST(CpuHalfPanel, IsTheReferences) {
  for (const DType type : {DType::bf16, DType::f16}) {
    HalfProblem problem(4, 70, 33, type);
    const Matrix got = problem.product(problem.weights(), cpu_kernels(), test::one_thread());
    const Matrix expected =
        problem.product(problem.weights(), reference_kernels(), test::one_thread());
    for (std::int64_t i = 0; i < 4; ++i) {
      for (std::int64_t j = 0; j < 70; ++j) {
        EXPECT_NEAR(got.at(i, j), expected.at(i, j), 1e-5);
      }
    }
  }
}

TEST(CpuHalfPanel, WidensEveryElement) {
  std::vector<std::uint16_t> words(64);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = static_cast<std::uint16_t>(0x0200U + 0x1e1U * i);
  }
  std::vector<float> wide(64);
  cpu::widen_panel(words.data(), DType::f16, 64, wide.data());
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(wide[i], from_f16(words[i])) << words[i];
  }
}

}  // namespace
}  // namespace yona
