// Dropout's result is the reference's bit for bit.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Problem {
  Problem(std::int64_t rows, std::int64_t cols, double p, bool in_place, bool accumulates)
      : x(Matrix::random(rows, cols, 1, 3)),
        y(Matrix::random(rows, cols, 2, 5)),
        keys(test::row_keys(rows)),
        dropout(Dropout::with(p, 99, 7)),
        same(in_place),
        accumulate(accumulates) {}
  DropoutArgs args() {
    return {x.view(), same ? x.view() : y.view(), keys.data(), dropout, accumulate};
  }
  std::vector<Matrix*> outputs() { return {same ? &x : &y}; }

  Matrix x, y;
  std::vector<std::uint64_t> keys;
  Dropout dropout;
  bool same, accumulate;
};

TEST(CpuDropout, IsTheReferencesBitForBit) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 5, 300}) {
        for (const double p : {0.0, 0.1, 0.999}) {
          SCOPED_TRACE(testing::Message() << rows << "×" << cols << ", p " << p);
          const double exact = 0;
          test::expect_like_reference(Problem(rows, cols, p, false, false), &Kernels::dropout,
                                      exact);
          test::expect_like_reference(Problem(rows, cols, p, true, false), &Kernels::dropout,
                                      exact);
          test::expect_like_reference(Problem(rows, cols, p, false, true), &Kernels::dropout,
                                      exact);
        }
      }
    }
  });
}

TEST(CpuDropout, DropsWhatIsNotFinite) {
  Problem problem(1, 128, 0.5, false, false);
  problem.x.fill(NAN);
  const auto run = [&] { cpu_kernels().dropout(problem.args(), test::one_thread()); };
  run();
  for (std::int64_t j = 0; j < 128; ++j) {
    EXPECT_EQ(std::isnan(problem.y.at(0, j)), keeps(problem.dropout, problem.keys[0], j));
  }
}

TEST(CpuDropout, OfDoublesIsTheReferences) {
  std::vector<double> x(3, 2.0);
  std::vector<double> y(3);
  const std::uint64_t key = 5;
  const Dropout dropout = Dropout::with(0.5, 1, 2);
  cpu_kernels().dropout({.x = {x.data(), 1, 3, 3, DType::f64},
                         .y = {y.data(), 1, 3, 3, DType::f64},
                         .row_keys = &key,
                         .dropout = dropout},
                        test::one_thread());
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_EQ(y[j], keeps(dropout, key, static_cast<std::int64_t>(j)) ? 4.0 : 0.0);
  }
}

}  // namespace
}  // namespace yona
