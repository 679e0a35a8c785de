// Screens and products that are exact where they may be largest: what they promise, held against
// the whole product, on every instruction set.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "yona/backend/panels.h"

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

// Packed weights with their screen, and the whole product beside the screened one.
struct ScreenProblem {
  ScreenProblem(std::int64_t m, std::int64_t n, std::int64_t k, const Kernels& chosen)
      : kernels(chosen),
        x(Matrix::random(m, k, 1, 3)),
        weights(Matrix::random(n, k, 2)),
        whole(Matrix::random(m, n, 3)),
        y(Matrix::random(m, n, 4, 5)),
        scales(static_cast<std::size_t>(n)),
        errors(static_cast<std::size_t>(n)) {}

  void run(std::int64_t largest, Exec& exec) {
    kernels.pack({.weights = weights.view()}, exec);
    const std::int64_t panels = panel_count(weights.view());
    const std::int64_t width = weights.cols() * kPanelRows;
    values.assign(static_cast<std::size_t>(panels * width), 77);
    screen = {.values = {values.data(), panels, width, width, DType::i8},
              .scales = {scales.data(), 1, weights.rows(), weights.rows(), DType::f32},
              .errors = {errors.data(), 1, weights.rows(), weights.rows(), DType::f32}};
    kernels.screen({.weights = weights.view(), .screen = screen}, exec);
    kernels.packed_matmul({.x = x.view(), .weights = weights.view(), .y = whole.view()}, exec);
    kernels.screened_matmul({.x = x.view(),
                             .weights = weights.view(),
                             .y = y.view(),
                             .screen = screen,
                             .largest = largest},
                            exec);
  }

  double norm(std::int64_t i) {
    double squares = 0;
    for (std::int64_t j = 0; j < x.cols(); ++j) {
      squares += std::pow(static_cast<double>(x.at(i, j)), 2);
    }
    return std::sqrt(squares);
  }

  // How many elements have other bits than those of the whole product.
  std::int64_t expect_promises(std::int64_t largest) {
    std::int64_t rough = 0;
    for (std::int64_t i = 0; i < y.rows(); ++i) {
      std::vector<std::int64_t> order(static_cast<std::size_t>(y.cols()));
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return whole.at(i, a) != whole.at(i, b) ? whole.at(i, a) > whole.at(i, b) : a < b;
      });
      const auto count = std::min(order.size(), static_cast<std::size_t>(largest));
      for (std::size_t place = 0; place < order.size(); ++place) {
        const std::int64_t r = order[place];
        if (place < count) {
          EXPECT_EQ(y.at(i, r), whole.at(i, r)) << "row " << i << ", place " << place;
        } else {
          EXPECT_LE(y.at(i, r), whole.at(i, order[count - 1]));
        }
        EXPECT_LE(std::abs(y.at(i, r) - whole.at(i, r)),
                  static_cast<double>(errors[static_cast<std::size_t>(r)]) * norm(i));
        rough += y.at(i, r) != whole.at(i, r) ? 1 : 0;
      }
    }
    return rough;
  }

  const Kernels& kernels;
  Matrix x, weights, whole, y;
  std::vector<std::int8_t> values;
  std::vector<float> scales, errors;
  Screen screen;
};

TEST(CpuScreenedMatmul, KeepsItsPromisesForEverySize) {
  test::on_every_isa([] {
    for (const std::int64_t m : {1, 2, 3, 4, 5, 9}) {
      for (const std::int64_t n : {1, 2, 63, 64, 65, 130, 700}) {
        for (const std::int64_t k : {1, 5, 64, 100}) {
          for (const std::int64_t largest : {1, 2, 8}) {
            SCOPED_TRACE(testing::Message() << m << "×" << n << "×" << k << ", " << largest);
            ScreenProblem problem(m, n, k, cpu_kernels());
            problem.run(largest, test::two_threads());
            problem.expect_promises(largest);
          }
        }
      }
    }
  });
}

TEST(CpuScreenedMatmul, MultipliesFewElementsAnew) {
  ScreenProblem problem(1, 4000, 512, cpu_kernels());
  problem.run(1, test::one_thread());
  EXPECT_GT(problem.expect_promises(1), 3900);
}

TEST(CpuScreenedMatmul, KnowsAmongElementsThatDifferByTheLastBit) {
  ScreenProblem problem(1, 200, 64, cpu_kernels());
  for (std::int64_t r = 1; r < 200; ++r) {
    for (std::int64_t j = 0; j < 64; ++j) {
      problem.weights.at(r, j) = problem.weights.at(0, j);
    }
  }
  problem.weights.at(150, 3) = std::nextafter(problem.weights.at(150, 3), 10.0F);
  problem.weights.at(151, 3) = std::nextafter(problem.weights.at(150, 3), -10.0F);
  problem.run(1, test::one_thread());
  EXPECT_EQ(problem.expect_promises(1), 0);  // all of them are open
}

TEST(CpuScreenedMatmul, TakesZerosAndHugeWeights) {
  ScreenProblem problem(2, 130, 16, cpu_kernels());
  for (std::int64_t j = 0; j < 16; ++j) {
    problem.weights.at(0, j) = 0;
    problem.weights.at(1, j) *= 1e15F;
    problem.x.at(1, j) = 0;
  }
  problem.run(2, test::one_thread());
  problem.expect_promises(2);
}

TEST(CpuScreenedMatmul, CarriesNaNThrough) {
  ScreenProblem problem(2, 70, 4, cpu_kernels());
  problem.x.at(1, 1) = NAN;
  problem.run(1, test::one_thread());
  for (std::int64_t r = 0; r < 70; ++r) {
    EXPECT_TRUE(std::isnan(problem.y.at(1, r)));
    EXPECT_TRUE(std::isfinite(problem.y.at(0, r)));
  }
}

TEST(CpuScreenedMatmul, TheReferenceKeepsThePromisesToo) {
  ScreenProblem problem(3, 130, 40, reference_kernels());
  problem.run(2, test::one_thread());
  problem.expect_promises(2);
}

TEST(CpuScreenedMatmul, ScreensAreTheReferences) {
  test::on_every_isa([] {
    ScreenProblem cpu(1, 130, 40, cpu_kernels()), reference(1, 130, 40, reference_kernels());
    cpu.run(1, test::one_thread());
    reference.run(1, test::one_thread());
    EXPECT_EQ(cpu.values.size(), reference.values.size());
    std::int64_t apart = 0;
    for (std::size_t i = 0; i < cpu.values.size(); ++i) {
      apart += cpu.values[i] != reference.values[i] ? 1 : 0;  // halves round either way
      EXPECT_LE(std::abs(cpu.values[i] - reference.values[i]), 1);
    }
    EXPECT_LT(apart, 10);
    for (std::size_t r = 0; r < cpu.scales.size(); ++r) {
      EXPECT_NEAR(cpu.scales[r], reference.scales[r], 1e-6F * reference.scales[r]);
      EXPECT_NEAR(cpu.errors[r], reference.errors[r], 1e-3F * reference.errors[r]);
    }
  });
}

}  // namespace
}  // namespace yona
