// Products of bytes against the reference: equal, not near, wherever the machine multiplies and
// adds in one step; for every number of rows that takes another path; and a row's bits in any
// batch.

#include <gtest/gtest.h>

#include "yona/backend/cpu/int8_product.h"

#include "tests/backend/cpu/int8_problem.h"

namespace yona {
namespace {

using test::Int8Memory;
using test::Matrix;

struct Problem {
  Problem(std::int64_t m, std::int64_t n, std::int64_t k, bool biased = true,
          Activation chosen = Activation::relu)
      : x(Matrix::random(m, k, 1, 3)),
        stored(Matrix::random(n, k, 2)),
        bytes(n, k),
        y(Matrix::random(m, n, 3, 5)),
        bias(Matrix::random(1, n, 4)),
        with_bias(biased),
        activation(chosen) {
    reference_kernels().quantise({.weights = stored.view(), .to = bytes.weights()},
                                 test::one_thread());
  }
  Int8MatmulArgs args() {
    return {.x = x.view(),
            .weights = bytes.weights(),
            .y = y.view(),
            .bias = with_bias ? bias.view() : View{},
            .activation = activation};
  }
  std::vector<Matrix*> outputs() { return {&y}; }

  Matrix x, stored;
  Int8Memory bytes;
  Matrix y, bias;
  bool with_bias;
  Activation activation;
};

// Sums are integers; the baseline, and clang's code for AVX2, multiply and add in two steps, which
// rounds once more.
void expect_equal(const Problem& problem) {
  SCOPED_TRACE(testing::Message() << problem.x.rows() << "×" << problem.stored.rows() << "×"
                                  << problem.x.cols());
  if (current_isa() == Isa::baseline || kSanitized) {
    test::expect_like_reference(problem, &Kernels::int8_matmul, 1e-6);
    return;
  }
  test::expect_like_reference(problem, &Kernels::int8_matmul, 0.0);
}

TEST(CpuInt8Matmul, IsTheReferencesForEveryNumberOfRows) {
  test::on_every_isa([] {
    for (const std::int64_t m : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 32, 49, 128, 129, 300}) {
      expect_equal(Problem(m, 130, 67));
    }
  });
}

TEST(CpuInt8Matmul, IsTheReferencesForOddSizesAndEpilogues) {
  test::on_every_isa([] {
    for (const std::int64_t n : {1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 1000}) {
      for (const std::int64_t k : {1, 2, 3, 4, 5, 16, 100}) {
        expect_equal(Problem(5, n, k));
        expect_equal(Problem(1, n, k));
      }
    }
    for (const std::int64_t m : {1, 4, 9}) {
      expect_equal(Problem(m, 512, 512, true, Activation::none));
      expect_equal(Problem(m, 100, 33, false, Activation::none));
      expect_equal(Problem(m, 100, 33, false, Activation::relu));
    }
    expect_equal(Problem(4, 64 * 65 + 7, 3));  // more panels than slices
    expect_equal(Problem(1, 64 * 65 + 7, 3));
  });
}

// One element in `one_in` is left, and with `rectified` no negative one.
Problem sparse_problem(std::int64_t m, std::int64_t n, std::int64_t k, int one_in, bool rectified) {
  Problem problem(m, n, k, true, Activation::none);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < k; ++j) {
      float& x = problem.x.at(i, j);
      x = (j * 37 + i * 11) % one_in == 0 ? (rectified ? std::abs(x) : x) : 0.0F;
    }
  }
  return problem;
}

TEST(CpuInt8Matmul, IsTheReferencesForRowsOfMostlyZeros) {
  test::on_every_isa([] {
    for (const std::int64_t m : {1, 2, 3, 4, 5}) {
      for (const std::int64_t n : {7, 64, 130, 512, 64 * 9 + 5}) {
        for (const std::int64_t k : {16, 100, 515}) {
          expect_equal(sparse_problem(m, n, k, 16, true));
          expect_equal(sparse_problem(m, n, k, 16, false));
          expect_equal(sparse_problem(m, n, k, 1000, true));
        }
      }
    }
  });
}

TEST(CpuInt8Groups, AreThoseWithAnElementUnlessTooManyOrNegative) {
  if (!cpu::cpu_has_vnni()) {
    GTEST_SKIP() << "this CPU has no VNNI";
  }
  std::vector<std::uint8_t> x(64, cpu::kInt8Offset);
  const auto found = [&](std::int64_t rows) {
    const auto groups =
        cpu::find_int8_groups({.x = x.data(), .x_stride = 32, .rows = rows, .groups = 8});
    return std::vector<std::int32_t>(groups.begin(), groups.end());
  };
  EXPECT_TRUE(found(1).empty());
  x[5] = x[7] = x[30] = 129;
  x[32] = 255;
  EXPECT_EQ(found(1), (std::vector<std::int32_t>{1, 7}));
  EXPECT_EQ(found(2), (std::vector<std::int32_t>{0, 1, 7}));
  x[40] = x[50] = 130;
  EXPECT_EQ(found(2).size(), 5U);
  x[12] = 130;
  EXPECT_TRUE(found(2).empty());  // six of eight
  EXPECT_EQ(found(1).size(), 3U);
  x[31] = 127;
  EXPECT_TRUE(found(1).empty());  // a negative one
}

TEST(CpuInt8Matmul, IsNearTheProductOfWhatWasRounded) {
  const std::int64_t k = 512;
  Problem problem(8, 70, k, true, Activation::none);
  Matrix expected = problem.y;
  reference_kernels().matmul({.a = problem.x.view(),
                              .b = problem.stored.view(),
                              .c = expected.view(),
                              .transpose_b = true,
                              .bias = problem.bias.view()},
                             test::one_thread());
  cpu_kernels().int8_matmul(problem.args(), test::one_thread());
  // Each factor is off by at most half a step of 1/127, evenly spread: a deviation of 0.29 steps.
  const double deviation = 0.29 / 127 * std::sqrt(2.0 * static_cast<double>(k) / 3);
  EXPECT_TRUE(test::is_near(problem.y, expected, 5 * deviation));
}

TEST(CpuInt8Matmul, DoesNotOverflowWhereEveryByteIsTheLargest) {
  test::on_every_isa([] {
    for (const float sign : {1.0F, -1.0F}) {
      for (const std::int64_t m : {1, 3}) {
        Problem problem(m, 64, 4096, false, Activation::none);
        problem.x.fill(1.0F);
        problem.stored.fill(sign);
        reference_kernels().quantise(
            {.weights = problem.stored.view(), .to = problem.bytes.weights()}, test::one_thread());
        cpu_kernels().int8_matmul(problem.args(), test::one_thread());
        EXPECT_NEAR(problem.y.at(m - 1, 63), sign * 4096.0F, 0.01F);
      }
    }
  });
}

TEST(CpuInt8Matmul, OfNothingDoesNothing) {
  for (const Problem& problem : {Problem(0, 70, 5), Problem(3, 0, 5)}) {
    expect_equal(problem);
  }
}

TEST(CpuInt8Matmul, OverAnEmptySumGivesTheBias) {
  expect_equal(Problem(3, 70, 0));
  expect_equal(Problem(1, 70, 0));
}

TEST(CpuInt8Matmul, GivesARowTheSameBitsInAnyBatch) {
  test::on_every_isa([] {
    Problem all(140, 200, 77);
    cpu_kernels().int8_matmul(all.args(), test::two_threads());
    for (const std::int64_t m : {1, 2, 3, 4, 5, 6, 7, 13, 128}) {
      for (const std::int64_t first : {std::int64_t{0}, 140 - m}) {
        Problem some(140, 200, 77);
        Int8MatmulArgs args = some.args();
        args.x = {args.x.row<float>(first), m, 77, args.x.stride, DType::f32};
        args.y = {args.y.row<float>(first), m, 200, args.y.stride, DType::f32};
        cpu_kernels().int8_matmul(args, test::one_thread());
        for (std::int64_t i = first; i < first + m; ++i) {
          for (std::int64_t j = 0; j < 200; ++j) {
            ASSERT_EQ(some.y.at(i, j), all.y.at(i, j)) << m << " rows, at " << i << ", " << j;
          }
        }
      }
    }
  });
}

TEST(CpuInt8Matmul, GivesNaNForARowThatIsNoNumbers) {
  test::on_every_isa([] {
    Problem problem(7, 70, 4);
    problem.x.at(0, 0) = INFINITY;
    problem.x.at(6, 1) = NAN;
    for (const Kernels* kernels : {&reference_kernels(), &cpu_kernels()}) {
      kernels->int8_matmul(problem.args(), test::one_thread());
      EXPECT_TRUE(std::isnan(problem.y.at(0, 69)));
      EXPECT_TRUE(std::isnan(problem.y.at(6, 0)));
      EXPECT_TRUE(std::isfinite(problem.y.at(3, 3)));
    }
  });
}

}  // namespace
}  // namespace yona
