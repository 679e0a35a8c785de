// Rotary position embedding against the reference, forward and back again.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Rotate {
  Matrix x, table;
  std::vector<std::int32_t> positions;
  std::int64_t d_k;
  bool inverse;
  RotaryArgs args() {
    return {.x = x.view(),
            .table = table.view(),
            .positions = positions.data(),
            .d_k = d_k,
            .inverse = inverse};
  }
  std::vector<Matrix*> outputs() { return {&x}; }
};

Matrix angles(std::int64_t positions, std::int64_t channels) {
  Matrix table(positions, channels);
  for (std::int64_t p = 0; p < positions; ++p) {
    for (std::int64_t i = 0; i < channels / 2; ++i) {
      const double angle = static_cast<double>(p) / static_cast<double>(1 + i);
      table.at(p, i) = static_cast<float>(std::cos(angle));
      table.at(p, channels / 2 + i) = static_cast<float>(std::sin(angle));
    }
  }
  return table;
}

TEST(CpuRotary, IsTheReferencesAndTurnsBack) {
  test::on_every_isa([] {
    for (const std::int64_t d_k : {2, 6, 16, 30, 64, 128}) {
      for (const std::int64_t channels : {d_k, d_k / 2 / 2 * 2}) {
        for (const std::int64_t rows : {0, 1, 150}) {
          SCOPED_TRACE(testing::Message() << rows << " rows, " << channels << " of " << d_k);
          std::vector<std::int32_t> positions;
          for (std::int64_t i = 0; i < rows; ++i) {
            positions.push_back(static_cast<std::int32_t>(i * 7 % 20));
          }
          Rotate problem{Matrix::random(rows, 3 * d_k, 1, 5), angles(20, channels), positions, d_k,
                         false};
          test::expect_like_reference(problem, &Kernels::rotary);
          const Matrix before = problem.x;
          cpu_kernels().rotary(problem.args(), test::one_thread());
          problem.inverse = true;
          test::expect_like_reference(problem, &Kernels::rotary);
          cpu_kernels().rotary(problem.args(), test::one_thread());
          EXPECT_TRUE(test::is_near(problem.x, before, 1e-6));
        }
      }
    }
  });
}

}  // namespace
}  // namespace yona
