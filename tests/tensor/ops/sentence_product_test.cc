#include "yona/tensor/ops/sentence_product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/tensor/ops/matmul.h"

#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using Lengths = std::vector<std::int64_t>;

OpCase product_of(const Lengths& lengths, std::int64_t tokens) {
  return {"sentence product", {{{3, 6}}, {{tokens, 4}}}, [lengths](const Inputs& x, Context& c) {
            return Inputs{sentence_product(x[0], {x[1], layout_of(lengths, c.region)}, c)};
          }};
}

TEST(SentenceProduct, PassesEveryUseOfItsCases) {
  check_op(product_of({2, 6, 1}, 9));
  check_op(product_of({3, 0, 2}, 5));
  check_op(product_of({}, 0));
}

TEST(SentenceProduct, EqualsAProductForEachSentence) {
  OpCase fused = product_of({2, 6, 1}, 9);
  OpCase plain = fused;
  fused.op = [op = fused.op](const Inputs& x, Context& c) {
    const Tensor y = op(x, c)[0];
    return Inputs{y.row_range(0, 3), y.row_range(3, 3), y.row_range(6, 3)};
  };
  plain.op = [](const Inputs& x, Context& c) {
    return Inputs{matmul(x[0].columns(0, 2), x[1].row_range(0, 2), Transpose::no, c),
                  matmul(x[0].columns(0, 6), x[1].row_range(2, 6), Transpose::no, c),
                  matmul(x[0].columns(0, 1), x[1].row_range(8, 1), Transpose::no, c)};
  };
  expect_same(fused, plain);
}

TEST(SentenceProduct, RefusesSentencesThatAreTooLong) {
  EXPECT_THAT(message_of<InvalidArgument>([] { run_op(product_of({7}, 7)); }),
              ::testing::HasSubstr("a sentence of 7 tokens is longer than the 6 of the weight"));
}

}  // namespace
}  // namespace yona::testing
