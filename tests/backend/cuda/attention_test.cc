// Attention on the device: types, head sizes and lengths on both sides of every tile.

#include "tests/backend/cuda/attention_case.h"

namespace yona::testing {
namespace {

const std::vector<std::int64_t> kQueries = {1, 32, 5, 0, 33, 17, 64, 70, 3};
const std::vector<std::int64_t> kKeys = {7, 32, 1, 4, 33, 40, 31, 70, 0};

TEST_F(CudaAttention, IsTheReferencesForEveryHeadSize) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const Shape4& shape : {Shape4{2, 16, 16}, Shape4{9, 32, 32}, Shape4{8, 64, 64},
                                Shape4{3, 24, 40}, Shape4{2, 5, 3}, Shape4{2, 128, 128},
                                Shape4{2, 64, 100}, Shape4{1, 512, 512}, Shape4{1, 256, 80}}) {
      expect_reference({.queries = kQueries, .keys = kKeys, .shape = shape, .dtype = dtype});
      expect_reference({.queries = kQueries,
                        .keys = kKeys,
                        .shape = shape,
                        .mask = Mask::causal,
                        .dropout = 0.2,
                        .dtype = dtype});
    }
  }
}

TEST_F(CudaAttention, IsTheReferencesForEveryMaskWithBiasAndDropout) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const Mask mask : {Mask::none, Mask::causal, Mask::prefix}) {
      for (const bool bias : {false, true}) {
        for (const double dropout : {0.0, 0.3}) {
          expect_reference({.queries = kQueries,
                            .keys = kKeys,
                            .shape = {8, 64, 64},
                            .mask = mask,
                            .bias = bias,
                            .dropout = dropout,
                            .dtype = dtype});
        }
      }
    }
  }
}

TEST_F(CudaAttention, LetsHeadsShareKeysAndValues) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const Shape4& shape : {Shape4{8, 64, 64}, Shape4{12, 32, 32}, Shape4{4, 128, 128}}) {
      for (const std::int64_t shared : {std::int64_t{2}, shape.heads}) {
        for (const bool accumulate : {false, true}) {
          expect_reference({.queries = kQueries,
                            .keys = kKeys,
                            .shape = shape,
                            .mask = Mask::causal,
                            .dropout = accumulate ? 0.2 : 0.0,
                            .dtype = dtype,
                            .accumulate = accumulate,
                            .heads_per_kv = shared});
        }
      }
    }
  }
}

TEST_F(CudaAttention, WithAdditiveScoresIsTheReferences) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const Shape4& shape : {Shape4{2, 16, 16}, Shape4{2, 70, 33}}) {
      for (const Mask mask : {Mask::none, Mask::causal}) {
        expect_reference({.queries = kQueries,
                          .keys = kKeys,
                          .shape = shape,
                          .mask = mask,
                          .dropout = 0.2,
                          .additive = true,
                          .dtype = dtype});
      }
    }
  }
}

// Small, so that tools that watch every access to memory get through it.
TEST_F(CudaAttention, OfAFewSentencesInBf16IsTheReferences) {
  for (const std::int64_t d : {32, 64}) {
    expect_reference({.queries = {3, 20, 40},
                      .keys = {5, 33, 17},
                      .shape = {2, d, d},
                      .mask = Mask::causal,
                      .dropout = 0.1,
                      .dtype = DType::bf16});
    expect_reference({.queries = {66, 70},  // none is short
                      .keys = {5, 67},
                      .shape = {2, d, d},
                      .dtype = DType::bf16});
    expect_reference({.queries = {70, 9},
                      .keys = {66, 80},
                      .shape = {2, d, d},
                      .dropout = 0.1,
                      .dtype = DType::bf16});
  }
}

TEST_F(CudaAttention, TakesLongSentencesBesideShortOnes) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const Shape4& shape : {Shape4{9, 32, 32}, Shape4{8, 64, 64}, Shape4{3, 64, 64}}) {
      for (const Mask mask : {Mask::none, Mask::causal, Mask::prefix}) {
        expect_reference({.queries = {1, 130, 64, 65, 257, 33, 0, 7},
                          .keys = {70, 130, 200, 64, 300, 31, 90, 7},
                          .shape = shape,
                          .mask = mask,
                          .dropout = mask == Mask::none ? 0.0 : 0.2,
                          .dtype = dtype});
      }
    }
  }
}

// Around the tiles of 64 rows that Hopper's products have.
TEST_F(CudaAttention, TakesLengthsOnBothSidesOfWholeTiles) {
  const std::vector<std::int64_t> lengths = {64, 65, 128, 257};
  const std::vector<std::int64_t> others = {255, 64, 127, 129};
  for (const Mask mask : {Mask::none, Mask::causal}) {
    expect_reference({.queries = lengths,
                      .keys = lengths,
                      .shape = {8, 64, 64},
                      .mask = mask,
                      .dropout = 0.1,
                      .dtype = DType::bf16});
    expect_reference({.queries = lengths,
                      .keys = others,
                      .shape = {11, 32, 32},
                      .mask = mask,
                      .dropout = 0.3,
                      .dtype = DType::bf16});
    expect_reference({.queries = others,
                      .keys = lengths,
                      .shape = {3, 64, 64},
                      .mask = mask,
                      .dtype = DType::bf16});
    expect_reference({.queries = {127, 256},
                      .keys = {127, 256},
                      .shape = {11, 64, 64},
                      .mask = mask,
                      .dropout = mask == Mask::none ? 0.2 : 0.0,
                      .dtype = DType::bf16});
  }
}

TEST_F(CudaAttention, OfLongSentencesTakesScalesOfEitherSign) {
  for (const float scale : {-0.7F, 0.0F}) {
    expect_reference({.queries = {70, 130},
                      .keys = {129, 5},
                      .shape = {3, 32, 32},
                      .mask = Mask::causal,
                      .dropout = 0.1,
                      .dtype = DType::bf16,
                      .scale = scale});
  }
}

// Both of the forms that short sentences have backward: up to 32 tokens, and longer.
TEST_F(CudaAttention, OfShortSentencesTakesScalesOfEitherSign) {
  for (const float scale : {-0.7F, 0.0F}) {
    for (const std::int64_t d : {32, 64}) {
      for (const std::int64_t longest : {32, 60}) {
        expect_reference({.queries = {longest, 9, 17},
                          .keys = {31, 20, longest - 4},
                          .shape = {3, d, d},
                          .mask = Mask::causal,
                          .dropout = 0.1,
                          .dtype = DType::bf16,
                          .scale = scale});
      }
    }
  }
}

TEST_F(CudaAttention, TakesManySentencesOfAnyLength) {
  std::vector<std::int64_t> queries;
  std::vector<std::int64_t> keys;
  RandomSequence random(6);
  for (int s = 0; s < 60; ++s) {
    queries.push_back(static_cast<std::int64_t>(random.below(50)));
    keys.push_back(static_cast<std::int64_t>(random.below(50)));
  }
  for (const DType dtype : {DType::f32, DType::bf16}) {
    expect_reference({.queries = queries, .keys = keys, .shape = {8, 64, 64}, .dtype = dtype});
    expect_reference({.queries = queries,
                      .keys = queries,
                      .shape = {8, 32, 32},
                      .mask = Mask::causal,
                      .dropout = 0.1,
                      .dtype = dtype});
  }
}

}  // namespace
}  // namespace yona::testing
