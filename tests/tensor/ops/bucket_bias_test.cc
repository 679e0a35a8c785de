#include "yona/tensor/ops/bucket_bias.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

OpFunction by(const std::vector<std::int32_t>& buckets) {
  return [buckets](const Inputs& x, Context& c) {
    const Tensor ids(c.region, DType::i32, Shape{static_cast<std::int64_t>(buckets.size())});
    ids.upload(buckets);
    return Inputs{bucket_bias(x[0], ids, c)};
  };
}

TEST(BucketBias, PassesEveryUseOfItsCases) {
  check_op({"each once", {{{3, 2}}}, by({0, 1, 2})});
  check_op({"some often, one never", {{{4, 3}}}, by({3, 3, 0, 1, 1})});
  check_op({"one distance", {{{2, 1}}}, by({1})});
}

TEST(BucketBias, GivesEachHeadItsRow) {
  const OpCase given{"values", {{{2, 2}}}, [](const Inputs& x, Context& c) {
                       set_values(x[0], {1, 2, 3, 4});
                       return by({1, 0, 1})(x, c);
                     }};
  expect_near(run_op(given).outputs[0], {3, 1, 3, 4, 2, 4}, 0, "reference");
}

TEST(BucketBias, RefusesAnEvenNumberOfDistances) {
  const OpCase bad{"bad", {{{2, 2}}}, by({0, 1})};
  EXPECT_THAT(message_of<InvalidArgument>([&] { run_op(bad); }),
              ::testing::HasSubstr("bucket_bias: 2 distances are not 2R+1"));
}

}  // namespace
}  // namespace yona::testing
