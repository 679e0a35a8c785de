#include "yona/tensor/ops/gather_rows.h"

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

struct GatherVariant {
  std::string name;
  std::int64_t rows, d;
  std::vector<std::int32_t> numbers;
};

std::vector<GatherVariant> gather_variants() {
  std::vector<std::int32_t> often;  // one row more often than a warp adds up, others rarely
  for (std::int32_t i = 0; i < 120; ++i) {
    often.push_back(i % 3 == 0 ? i % 40 : 7);
  }
  return {{"some", 5, 4, {3, 0, 4}},
          {"repeated", 4, 3, {2, 2, 0, 2}},
          {"none", 3, 4, {}},
          {"one element", 1, 1, {0}},
          {"wide rows", 6, 301, {5, 1, 5, 5}},
          {"often the same", 40, 9, often}};
}

OpCase gather_case(const GatherVariant& variant) {
  return {variant.name, {{{variant.rows, variant.d}}}, [variant](const Inputs& x, Context& c) {
            return Inputs{gather_rows(x[0], ids_of(variant.numbers, c.region), c)};
          }};
}

// Rows picked by a product with a one-hot matrix.
OpCase one_hot_case(const GatherVariant& variant) {
  OpCase made = gather_case(variant);
  made.op = [variant](const Inputs& x, Context& c) {
    const auto n = static_cast<std::int64_t>(variant.numbers.size());
    std::vector<double> picks(static_cast<std::size_t>(n * variant.rows), 0.0);
    for (std::int64_t i = 0; i < n; ++i) {
      picks[static_cast<std::size_t>(i * variant.rows +
                                     variant.numbers[static_cast<std::size_t>(i)])] = 1.0;
    }
    return Inputs{matmul(tensor_of(picks, {n, variant.rows}, x[0].dtype(), c.region), x[0],
                         Transpose::no, c)};
  };
  return made;
}

TEST(GatherRows, PassesEveryUseOfItsCases) {
  for (const GatherVariant& variant : gather_variants()) {
    check_op(gather_case(variant));
  }
}

TEST(GatherRows, EqualsAProductWithOneHotRows) {
  for (const GatherVariant& variant : gather_variants()) {
    expect_same(gather_case(variant), one_hot_case(variant));
  }
}

TEST(GatherRows, TakesColumnsOfAWiderTensor) {
  check_op({"strided", {{{5, 9}}}, [](const Inputs& x, Context& c) {
              return Inputs{gather_rows(x[0].columns(2, 4), ids_of({4, 4, 1}, c.region), c)};
            }});
}

TEST(GatherRows, RefusesNumbersOfAnotherType) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region};
  const Tensor x = c.zeros(DType::f32, {3, 2});
  EXPECT_EQ(message_of<InvalidArgument>([&] { gather_rows(x, c.zeros(DType::f32, {2}), c); }),
            "gather_rows: numbers of rows are f32, not i32");
}

}  // namespace
}  // namespace yona::testing
