// Attention on the device by patterns: windows, dilated ones and lists of blocks, beside the
// reference, which looks at every pair. Lengths are on both sides of the tiles of 64 rows.

#include "tests/backend/cuda/attention_case.h"

namespace yona::testing {
namespace {

const std::vector<std::int64_t> kLengths = {1, 65, 0, 64, 7, 200};

class CudaAttentionPattern : public CudaAttention {
 protected:
  static Case case_of(const AttentionPattern& pattern, Mask mask, DType dtype = DType::bf16) {
    return {.queries = kLengths,
            .keys = kLengths,
            .shape = {1, 64, 64},
            .mask = mask,
            .dtype = dtype,
            .pattern = pattern};
  }
  static AttentionPattern window(std::int64_t before, std::int64_t after,
                                 std::int64_t dilation = 1) {
    AttentionPattern pattern;
    pattern.before = before;
    pattern.after = after;
    pattern.dilation = dilation;
    return pattern;
  }
  static AttentionPattern blocks(std::int64_t size, Mask mask, std::int64_t random) {
    AttentionPattern pattern;
    pattern.block = size;
    pattern.neighbours = random > 0 ? 1 : 0;
    pattern.global_blocks = random > 0 ? 1 : 0;
    pattern.random_blocks = random;
    pattern.seed = 5;
    pattern.earlier = mask != Mask::none;
    return pattern;
  }
};

TEST_F(CudaAttentionPattern, OfAWindowIsTheReferences) {
  for (const std::int64_t size : {0, 20, 64, 130, 1000}) {
    expect_reference(case_of(window(size, size / 2), Mask::none));
    expect_reference(case_of(window(size, 0), Mask::causal));
  }
  expect_reference(case_of(window(70, 10), Mask::prefix));
}

TEST_F(CudaAttentionPattern, OfADilatedWindowIsTheReferences) {
  for (const std::int64_t dilation : {2, 7}) {
    expect_reference(case_of(window(20, 9, dilation), Mask::none));
    expect_reference(case_of(window(64, 0, dilation), Mask::causal));
  }
}

TEST_F(CudaAttentionPattern, OfAListOfBlocksIsTheReferences) {
  for (const Mask mask : {Mask::none, Mask::causal}) {
    for (const std::int64_t size : {16, 50, 64, 128}) {
      expect_reference(case_of(blocks(size, mask, 0), mask));
      expect_reference(case_of(blocks(size, mask, 2), mask));
    }
  }
}

TEST_F(CudaAttentionPattern, TakesHeadsOf32SumsAndOtherTypes) {
  Case narrow = case_of(window(30, 5), Mask::none);
  narrow.shape = {3, 32, 32};
  narrow.accumulate = true;
  expect_reference(narrow);
  narrow.pattern = blocks(64, Mask::none, 2);
  narrow.accumulate = false;
  narrow.write = true;
  expect_reference(narrow);
  expect_reference(case_of(window(30, 5, 2), Mask::none, DType::f32));
}

// With dropout the general kernels run.
TEST_F(CudaAttentionPattern, TakesDropout) {
  Case dropped = case_of(window(40, 0), Mask::causal);
  dropped.dropout = 0.2;
  expect_reference(dropped);
  dropped.pattern = window(10, 0, 3);
  expect_reference(dropped);
}

}  // namespace
}  // namespace yona::testing
