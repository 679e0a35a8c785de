#include "yona/tensor/ops/prepend_rows.h"

#include <gtest/gtest.h>

#include "yona/tensor/ops/gather_rows.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

struct PrependVariant {
  std::string name;
  std::vector<std::int64_t> lengths;
  std::int64_t first, d;

  std::int64_t tokens() const {
    std::int64_t sum = 0;
    for (const std::int64_t length : lengths) {
      sum += length;
    }
    return sum;
  }
};

std::vector<PrependVariant> prepend_variants() {
  return {{"a class token", {3, 1, 4}, 1, 5},
          {"several rows", {2, 3}, 3, 4},
          {"sequences without rows", {0, 2, 0, 0, 3, 0}, 2, 3},
          {"no sequence", {}, 1, 4},
          {"nothing but the class token", {0, 0}, 1, 2},
          {"wide rows", {2, 1}, 1, 301},
          {"more sequences than a block has warps", {1, 2, 1, 3, 1, 1, 2, 1, 1, 2, 4}, 2, 9}};
}

OpCase prepended(const PrependVariant& v) {
  return {v.name, {{{v.tokens(), v.d}}, {{v.first, v.d}}}, [v](const Inputs& x, Context& c) {
            std::vector<std::int64_t> longer = v.lengths;
            for (std::int64_t& length : longer) {
              length += v.first;
            }
            const Ragged given{x[0], layout_of(v.lengths, c.region)};
            return Inputs{prepend_rows(given, x[1], layout_of(longer, c.region), c).values};
          }};
}

// Products with matrices that pick rows of x and of what is put in front.
OpCase picked(const PrependVariant& v) {
  OpCase made = prepended(v);
  made.op = [v](const Inputs& x, Context& c) {
    const auto n = static_cast<std::int64_t>(v.lengths.size());
    const std::int64_t rows = v.tokens() + n * v.first;
    std::vector<double> of_x(static_cast<std::size_t>(rows * v.tokens()), 0.0);
    std::vector<double> of_first(static_cast<std::size_t>(rows * v.first), 0.0);
    std::int64_t row = 0;
    std::int64_t token = 0;
    for (const std::int64_t length : v.lengths) {
      for (std::int64_t i = 0; i < v.first; ++i, ++row) {
        of_first[static_cast<std::size_t>(row * v.first + i)] = 1.0;
      }
      for (std::int64_t i = 0; i < length; ++i, ++row, ++token) {
        of_x[static_cast<std::size_t>(row * v.tokens() + token)] = 1.0;
      }
    }
    const auto pick = [&](const std::vector<double>& matrix, const Tensor& from) {
      return matmul(tensor_of(matrix, {rows, from.rows()}, from.dtype(), c.region), from,
                    Transpose::no, c);
    };
    return Inputs{add(pick(of_x, x[0]), pick(of_first, x[1]), c)};
  };
  return made;
}

TEST(PrependRows, PassesEveryUseOfItsCases) {
  for (const PrependVariant& variant : prepend_variants()) {
    check_op(prepended(variant));
  }
}

TEST(PrependRows, EqualsProductsThatPickRows) {
  for (const PrependVariant& variant : prepend_variants()) {
    if (variant.tokens() > 0) {
      expect_same(prepended(variant), picked(variant));
    }
  }
}

TEST(PrependRows, GivesGradientsOnlyToWhatTakesThem) {
  for (const std::size_t constant : {0U, 1U}) {
    OpCase some = prepended(prepend_variants()[1]);
    some.inputs[constant].gradient = false;
    check_op(some);
  }
}

TEST(PrependRows, RefusesWhatDoesNotFit) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region};
  const Ragged x{c.zeros(DType::f32, {3, 4}), layout_of({1, 2}, region)};
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              prepend_rows(x, c.zeros(DType::f32, {1, 5}), layout_of({2, 3}, region), c);
            }),
            "prepend_rows: rows [1, 5] of f32 do not fit [3, 4] of f32");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              prepend_rows(x, c.zeros(DType::f32, {1, 4}), layout_of({2, 4}, region), c);
            }),
            "prepend_rows: a layout of 2 sequences and 6 rows is not that of 2 and 3 with 1 more "
            "in each");
}

}  // namespace
}  // namespace yona::testing
