// What the tests of CPU kernels share: random matrices, and comparison of a kernel with the
// reference on every instruction set and on one and two threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "yona/backend/cpu/features.h"
#include "yona/backend/registration.h"
#include "yona/base/random.h"

#include "tests/harness/sanitized.h"

namespace yona::test {

// Sums of a few thousand f32 terms in another order than the reference, which sums in double:
// errors grow with the root of the number of terms, and stay below this share of their magnitude.
inline constexpr double kToleranceF32 = 2e-5;
// The same for products of operands rounded to bf16: the rounding is the reference's own, so what
// differs is again the order of f32 sums.
inline constexpr double kToleranceBf16 = 1e-4;

// A matrix of its own memory whose rows lie `padding` elements apart; the padding holds a value
// that no kernel may touch.
class Matrix {
 public:
  static constexpr float kGuard = 12345.678F;

  Matrix() = default;
  Matrix(std::int64_t rows, std::int64_t cols, std::int64_t padding = 0)
      : rows_(rows),
        cols_(cols),
        stride_(cols + padding),
        values_(static_cast<std::size_t>(rows * stride_ + 1), kGuard) {
    fill(0.0F);
  }
  static Matrix random(std::int64_t rows, std::int64_t cols, std::uint64_t seed,
                       std::int64_t padding = 0, double scale = 1.0) {
    Matrix matrix(rows, cols, padding);
    RandomSequence sequence(seed);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < cols; ++j) {
        matrix.at(i, j) = static_cast<float>((sequence.uniform() * 2 - 1) * scale);
      }
    }
    return matrix;
  }

  void fill(float value) {
    for (std::int64_t i = 0; i < rows_; ++i) {
      std::fill_n(&at(i, 0), cols_, value);
    }
  }
  float& at(std::int64_t i, std::int64_t j) {
    return values_[static_cast<std::size_t>(i * stride_ + j)];
  }
  float at(std::int64_t i, std::int64_t j) const {
    return values_[static_cast<std::size_t>(i * stride_ + j)];
  }
  View view() { return {values_.data(), rows_, cols_, stride_, DType::f32}; }
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  bool padding_is_untouched() const {
    for (std::int64_t i = 0; i < rows_; ++i) {
      for (std::int64_t j = cols_; j < stride_; ++j) {
        if (at(i, j) != kGuard) {
          return false;
        }
      }
    }
    return values_.back() == kGuard;
  }
  bool operator==(const Matrix& other) const {  // bit for bit
    return values_.size() == other.values_.size() &&
           std::memcmp(values_.data(), other.values_.data(), values_.size() * sizeof(float)) == 0;
  }

 private:
  std::int64_t rows_ = 0, cols_ = 0, stride_ = 0;
  std::vector<float> values_;
};

// |got - expected| ≤ tolerance · (magnitude + |expected|); infinities and NaN must agree in kind.
inline testing::AssertionResult is_near(const Matrix& got, const Matrix& expected, double tolerance,
                                        double magnitude = 1.0) {
  for (std::int64_t i = 0; i < expected.rows(); ++i) {
    for (std::int64_t j = 0; j < expected.cols(); ++j) {
      const double want = static_cast<double>(expected.at(i, j));
      const double have = static_cast<double>(got.at(i, j));
      const bool same = std::isnan(want) ? std::isnan(have)
                        : std::isinf(want)
                            ? have == want
                            : std::abs(have - want) <= tolerance * (magnitude + std::abs(want));
      if (!same) {
        return testing::AssertionFailure()
               << "at (" << i << ", " << j << "): got " << have << ", expected " << want;
      }
    }
  }
  return got.padding_is_untouched() ? testing::AssertionSuccess()
                                    : testing::AssertionFailure() << "wrote between rows";
}

// Runs `body` once for each instruction set of the machine; where sanitizers make it slow, for the
// narrowest and the widest alone.
template <class Body>
void on_every_isa(const Body& body) {
  for (const Isa isa : available_isas()) {
    if (kSanitized && isa != available_isas().front() && isa != available_isas().back()) {
      continue;
    }
    SCOPED_TRACE(std::string(name_of(isa)));
    use_isa(isa);
    body();
  }
  use_isa(available_isas().back());
}

// An Exec with its own pool.
class TestExec {
 public:
  explicit TestExec(int threads) : pool_(threads) {
    exec_.pool = &pool_;
    exec_.backend = "cpu";
  }
  operator Exec&() { return exec_; }  // NOLINT(google-explicit-constructor): stands for an Exec

 private:
  ThreadPool pool_;
  Exec exec_;
};

inline Exec& one_thread() {
  static TestExec exec(1);
  return exec;
}
inline Exec& two_threads() {
  static TestExec exec(2);
  return exec;
}

// Compares a kernel with the reference on the instruction set in use, and one thread with two. A
// problem owns its matrices: args() makes views of them, outputs() lists those that are written.
template <class Problem, class Args>
void expect_like_reference(const Problem& problem, Kernel<Args> Kernels::*kernel,
                           double tolerance = kToleranceF32, double magnitude = 1.0) {
  Problem expected = problem;
  Problem one = problem;
  Problem two = problem;
  (reference_kernels().*kernel)(expected.args(), one_thread());
  (cpu_kernels().*kernel)(one.args(), one_thread());
  (cpu_kernels().*kernel)(two.args(), two_threads());
  for (std::size_t k = 0; k < expected.outputs().size(); ++k) {
    SCOPED_TRACE(testing::Message() << "output " << k);
    EXPECT_TRUE(is_near(*one.outputs()[k], *expected.outputs()[k], tolerance, magnitude));
    EXPECT_TRUE(*one.outputs()[k] == *two.outputs()[k]) << "the bits depend on the threads";
  }
}

// Row keys as training has them: sentence and position, mixed.
inline std::vector<std::uint64_t> row_keys(std::int64_t rows) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(rows) + 1);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = (i / 7) << 32U | i % 7;
  }
  return keys;
}

// Widths around every vector width and the groups of 128 channels that dropout works in.
inline const std::vector<std::int64_t> kWidths = {1,  3,  4,   7,   8,   15,  16,  17,
                                                  31, 64, 100, 127, 128, 129, 512, 1024};

}  // namespace yona::test
