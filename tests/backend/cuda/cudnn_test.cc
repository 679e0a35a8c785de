// Attention by cuDNN: long sentences, heads of up to 128 channels, heads that share keys. Backward
// twice must give equal bits. Without cuDNN other kernels answer, and must agree as well.

#include "tests/backend/cuda/attention_case.h"

namespace yona::testing {
namespace {

class CudnnAttention : public CudaAttention {
 protected:
  static void expect_for_masks(Case t) {
    t.dtype = DType::bf16;
    t.write = true;
    for (const Mask mask : {Mask::none, Mask::causal}) {
      t.mask = mask;
      expect_reference(t);
    }
  }
};

TEST_F(CudnnAttention, OfEqualLengthsIsTheReferences) {
  for (const Shape4& shape : {Shape4{2, 64, 64}, Shape4{3, 128, 128}, Shape4{2, 32, 32}}) {
    expect_for_masks({.queries = {320, 320}, .keys = {320, 320}, .shape = shape, .scale = 0.1F});
  }
}

TEST_F(CudnnAttention, OfLengthsThatDifferIsTheReferences) {
  for (const Shape4& shape : {Shape4{2, 64, 64}, Shape4{3, 128, 128}, Shape4{2, 80, 80}}) {
    const std::vector<std::int64_t> lengths = {300, 17, 1, 129, 0, 64, 257};
    expect_for_masks({.queries = lengths, .keys = lengths, .shape = shape, .scale = 0.1F});
  }
}

TEST_F(CudnnAttention, LetsHeadsShareKeysAndValues) {
  for (const std::int64_t shared : {2, 4}) {
    for (const std::int64_t d : {64, 128}) {
      expect_for_masks({.queries = {256, 256},
                        .keys = {256, 256},
                        .shape = {4, d, d},
                        .scale = 0.1F,
                        .heads_per_kv = shared});
      expect_for_masks({.queries = {40, 300, 2},
                        .keys = {40, 300, 2},
                        .shape = {4, d, d},
                        .scale = 0.1F,
                        .heads_per_kv = shared});
    }
  }
}

// Queries of one side, keys of another; and sentences without keys, which it does not take.
TEST_F(CudnnAttention, TakesKeysOfAnotherSide) {
  for (const Shape4& shape : {Shape4{2, 64, 64}, Shape4{2, 128, 128}}) {
    expect_for_masks({.queries = {300, 20}, .keys = {40, 270}, .shape = shape, .scale = 0.1F});
    expect_for_masks(
        {.queries = {300, 20, 7}, .keys = {40, 270, 0}, .shape = shape, .scale = 0.1F});
  }
}

TEST_F(CudnnAttention, LeavesDropoutAndSumsToOthers) {
  const std::vector<std::int64_t> lengths = {300, 20};
  expect_for_masks(
      {.queries = lengths, .keys = lengths, .shape = {2, 64, 64}, .dropout = 0.1, .scale = 0.1F});
  expect_reference({.queries = lengths,
                    .keys = lengths,
                    .shape = {2, 64, 64},
                    .dtype = DType::bf16,
                    .scale = 0.1F,
                    .accumulate = true});
}

// Scores of one call would need more workspace than it may take.
TEST_F(CudnnAttention, OfLargeBatchesIsCutIntoParts) {
  std::vector<std::int64_t> lengths(60, 3);
  lengths.front() = 1100;
  lengths.back() = 900;
  expect_for_masks({.queries = lengths, .keys = lengths, .shape = {8, 64, 64}, .scale = 0.1F});
}

}  // namespace
}  // namespace yona::testing
