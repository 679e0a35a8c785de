#include "yona/tensor/ops/neighbours.h"

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

OpCase neighbours_case(const std::string& name, const std::vector<std::int64_t>& offsets,
                       std::int64_t d, const Window& window) {
  return {name, {{{offsets.back(), d}}}, [offsets, window](const Inputs& x, Context& c) {
            const auto layout = make_layout(offsets, {}, c.region);
            return Inputs{neighbours(x[0], *layout, window, c)};
          }};
}

TEST(Neighbours, PassesEveryUseOfItsCases) {
  const std::vector<std::int64_t> offsets{0, 5, 6, 13, 13, 15};
  check_op(neighbours_case("centred", offsets, 3, {.width = 3}));
  check_op(neighbours_case("causal", offsets, 3, {.width = 3, .dilation = 1, .causal = true}));
  check_op(neighbours_case("dilated", offsets, 2, {.width = 3, .dilation = 2, .causal = true}));
  check_op(neighbours_case("centred and dilated", offsets, 5, {.width = 5, .dilation = 2}));
  check_op(neighbours_case("itself", offsets, 4, {.width = 1}));
  check_op(neighbours_case("wider than any sentence", offsets, 9, {.width = 19}));
}

TEST(Neighbours, SeesOnlyItsOwnSentence) {
  Region region(shared_backend("cpu"), std::int64_t{1} << 20U);
  Context c{.region = region};
  const std::vector<std::int64_t> offsets{0, 2, 5};
  const auto layout = make_layout(offsets, {}, region);
  const Tensor x = tensor_of({1, 2, 3, 4, 5}, {5, 1}, DType::f32, region);
  EXPECT_EQ(values_of(neighbours(x, *layout, {.width = 3}, c)),
            (std::vector<double>{0, 1, 2, 1, 2, 0, 0, 3, 4, 3, 4, 5, 4, 5, 0}));
  EXPECT_EQ(values_of(neighbours(x, *layout, {.width = 2, .dilation = 2, .causal = true}, c)),
            (std::vector<double>{0, 1, 0, 2, 0, 3, 0, 4, 3, 5}));
}

TEST(Neighbours, RefusesInputsOfOtherTokensAndEmptyWindows) {
  Region region(shared_backend("reference"), std::int64_t{1} << 20U);
  Context c{.region = region};
  const std::vector<std::int64_t> offsets{0, 2};
  const auto layout = make_layout(offsets, {}, region);
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              neighbours(c.zeros(DType::f32, Shape{3, 1}), *layout, {}, c);
            }),
            "neighbours: input [3, 1] of 2 tokens");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              neighbours(c.zeros(DType::f32, Shape{2, 1}), *layout, {.width = 0}, c);
            }),
            "neighbours: a window of 0 tokens, 1 apart");
}

}  // namespace
}  // namespace yona::testing
