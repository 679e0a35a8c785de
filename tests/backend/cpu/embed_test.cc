// Embedding and the gradients of its tables against the reference.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

constexpr std::int32_t kPadding = 3;

struct Forward {
  Forward(std::int64_t rows, std::int64_t cols, std::int32_t vocabulary, bool has_positions,
          double p)
      : table(Matrix::random(vocabulary, cols, 1, 3)),
        positions(Matrix::random(50, cols, 2, 1)),
        y(Matrix::random(rows, cols, 3, 2)),
        ids(static_cast<std::size_t>(rows) + 1),
        position_ids(static_cast<std::size_t>(rows) + 1),
        keys(test::row_keys(rows)),
        dropout(Dropout::with(p, 99, 7)),
        positioned(has_positions) {
    RandomSequence sequence(5);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<std::int32_t>(sequence.below(static_cast<std::uint64_t>(vocabulary)));
      position_ids[i] = static_cast<std::int32_t>(i % 50);
    }
  }
  EmbedArgs args() {
    return {.ids = ids.data(),
            .position_ids = position_ids.data(),
            .row_keys = keys.data(),
            .table = table.view(),
            .positions = positioned ? positions.view() : View{},
            .y = y.view(),
            .scale = 11.3F,
            .padding_id = kPadding,
            .dropout = dropout};
  }
  std::vector<Matrix*> outputs() { return {&y}; }

  Matrix table, positions, y;
  std::vector<std::int32_t> ids, position_ids;
  std::vector<std::uint64_t> keys;
  Dropout dropout;
  bool positioned;
};

struct Backward {
  Backward(Forward of, bool table, bool positions)
      : forward(std::move(of)),
        table_gradient(forward.table),
        position_gradient(forward.positions),
        wants_table(table),
        wants_positions(positions) {}
  EmbedBackwardArgs args() {
    return {.forward = forward.args(),
            .table_gradient = wants_table ? table_gradient.view() : View{},
            .position_gradient = wants_positions ? position_gradient.view() : View{}};
  }
  std::vector<Matrix*> outputs() { return {&table_gradient, &position_gradient}; }

  Forward forward;
  Matrix table_gradient, position_gradient;
  bool wants_table, wants_positions;
};

TEST(CpuEmbed, IsTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 7, 300}) {
        for (const double p : {0.0, 0.3}) {
          SCOPED_TRACE(testing::Message() << rows << "×" << cols << ", p " << p);
          for (const bool positions : {false, true}) {
            test::expect_like_reference(Forward(rows, cols, 40, positions, p), &Kernels::embed);
          }
        }
      }
    }
  });
}

TEST(CpuEmbedBackward, IsTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 7, 300}) {
        for (const double p : {0.0, 0.3}) {
          SCOPED_TRACE(testing::Message() << rows << "×" << cols << ", p " << p);
          const Forward forward(rows, cols, 40, true, p);
          const double magnitude = 100;  // every row of the table takes some ten terms of about 11
          test::expect_like_reference(Backward(forward, true, true), &Kernels::embed_backward,
                                      test::kToleranceF32, magnitude);
          test::expect_like_reference(Backward(forward, true, false), &Kernels::embed_backward,
                                      test::kToleranceF32, magnitude);
          test::expect_like_reference(Backward(forward, false, true), &Kernels::embed_backward,
                                      test::kToleranceF32, magnitude);
        }
      }
    }
  });
}

TEST(CpuEmbedBackward, GivesPaddingNoGradient) {
  Forward forward(20, 8, 40, false, 0);
  std::fill(forward.ids.begin(), forward.ids.end(), kPadding);
  Backward problem(forward, true, false);
  problem.table_gradient.fill(0);
  cpu_kernels().embed_backward(problem.args(), test::two_threads());
  for (std::int64_t j = 0; j < 8; ++j) {
    EXPECT_EQ(problem.table_gradient.at(kPadding, j), 0.0F);
  }
}

TEST(CpuEmbed, OfDoublesIsTheReferences) {
  std::vector<double> table = {1, 2};
  double y = 0;
  double gradient[2] = {};
  const std::int32_t id = 1;
  const EmbedArgs args{.ids = &id,
                       .table = {table.data(), 2, 1, 1, DType::f64},
                       .y = {&y, 1, 1, 1, DType::f64},
                       .scale = 3.0F};
  cpu_kernels().embed(args, test::one_thread());
  EXPECT_EQ(y, 6.0);
  cpu_kernels().embed_backward({args, {gradient, 2, 1, 1, DType::f64}, {}}, test::one_thread());
  EXPECT_EQ(gradient[1], 18.0);
}

}  // namespace
}  // namespace yona
