// Attention over sentences of 65 to 256 tokens in bf16, which has kernels of its own on Hopper,
// forward for heads of 64, beside shorter and longer ones.

#include "tests/backend/cuda/attention_case.h"

namespace yona::testing {
namespace {

class CudaHeadPerBlockAttention : public CudaAttention {
 protected:
  // With heads of both sizes, an odd number of them and an even one.
  static void expect_for_heads(Case t) {
    t.dtype = DType::bf16;
    for (const Shape4& shape : {Shape4{3, 64, 64}, Shape4{2, 32, 32}, Shape4{1, 32, 32}}) {
      t.shape = shape;
      expect_reference(t);
    }
  }
};

// Small, so that tools that watch every access to memory get through it.
TEST_F(CudaHeadPerBlockAttention, OfAFewSentencesIsTheReferences) {
  expect_for_heads({.queries = {70, 130}, .keys = {129, 66}, .dropout = 0.1});
}

TEST_F(CudaHeadPerBlockAttention, TakesLengthsOnBothSidesOfEveryTile) {
  const std::vector<std::int64_t> lengths = {64, 65, 128, 129, 192, 193, 256};
  const std::vector<std::int64_t> others(lengths.rbegin(), lengths.rend());
  for (const Mask mask : {Mask::none, Mask::causal, Mask::prefix}) {
    for (const double dropout : {0.0, 0.2}) {
      expect_for_heads({.queries = lengths, .keys = lengths, .mask = mask, .dropout = dropout});
      expect_for_heads({.queries = lengths, .keys = others, .mask = mask, .dropout = dropout});
    }
  }
}

TEST_F(CudaHeadPerBlockAttention, StandsBesideShorterAndLongerSentences) {
  const std::vector<std::int64_t> lengths = {5, 65, 257, 33, 256, 64, 320, 128};
  const std::vector<std::int64_t> others = {7, 256, 66, 70, 258, 12, 300, 1};
  for (const Mask mask : {Mask::none, Mask::causal}) {
    for (const double dropout : {0.0, 0.1}) {
      expect_for_heads({.queries = lengths, .keys = lengths, .mask = mask, .dropout = dropout});
      expect_for_heads({.queries = lengths, .keys = others, .mask = mask, .dropout = dropout});
    }
  }
}

// Kernels for lengths that no sentence has are not launched.
TEST_F(CudaHeadPerBlockAttention, MayHaveNothingToDoBesideOthers) {
  const std::vector<std::vector<std::int64_t>> all = {{5, 300}, {300, 5}, {300, 270}, {64, 257}};
  for (const auto& queries : all) {
    for (const auto& keys : all) {
      expect_for_heads({.queries = queries, .keys = keys, .dropout = 0.1});
    }
  }
}

TEST_F(CudaHeadPerBlockAttention, TakesSentencesWithoutKeysOrQueries) {
  for (const Mask mask : {Mask::none, Mask::causal}) {
    expect_for_heads({.queries = {70, 0, 200, 0, 0, 65, 3, 0},
                      .keys = {0, 90, 0, 256, 0, 3, 130, 20},
                      .mask = mask,
                      .dropout = 0.1});
  }
}

// So far from the first keys' scores are those of others that the forward pass has to begin again.
TEST_F(CudaHeadPerBlockAttention, TakesScoresFarApart) {
  for (const Mask mask : {Mask::none, Mask::causal}) {
    expect_for_heads({.queries = {66, 256, 190, 31},
                      .keys = {150, 255, 190, 65},
                      .mask = mask,
                      .dropout = 0.1,
                      .scale = 40.0F});
  }
}

// More heads of sentences than a GPU has multiprocessors, several times over: forward, a block goes
// from one to the next. Most have few queries, which the reference gets through in time.
TEST_F(CudaHeadPerBlockAttention, GoesOnFromHeadToHead) {
  std::vector<std::int64_t> queries;
  std::vector<std::int64_t> keys;
  RandomSequence random(11);
  for (int s = 0; s < 75; ++s) {
    keys.push_back(1 + static_cast<std::int64_t>(random.below(256)));
    queries.push_back(s % 12 == 0 ? keys.back() : static_cast<std::int64_t>(random.below(24)));
  }
  for (const double dropout : {0.0, 0.1}) {
    expect_reference({.queries = queries,
                      .keys = keys,
                      .shape = {9, 64, 64},
                      .mask = dropout > 0.0 ? Mask::causal : Mask::none,
                      .dropout = dropout,
                      .dtype = DType::bf16});
  }
}

TEST_F(CudaHeadPerBlockAttention, AddsToGradients) {
  for (const double dropout : {0.0, 0.1}) {
    expect_for_heads({.queries = {66, 256, 31},
                      .keys = {150, 255, 65},
                      .mask = Mask::causal,
                      .dropout = dropout,
                      .accumulate = true});
  }
}

TEST_F(CudaHeadPerBlockAttention, TakesManySentencesOfAnyLength) {
  std::vector<std::int64_t> queries;
  std::vector<std::int64_t> keys;
  RandomSequence random(7);
  for (int s = 0; s < 12; ++s) {
    queries.push_back(static_cast<std::int64_t>(random.below(257)));
    keys.push_back(static_cast<std::int64_t>(random.below(257)));
  }
  for (const Mask mask : {Mask::none, Mask::causal}) {
    expect_for_heads({.queries = queries, .keys = keys, .mask = mask, .dropout = 0.1});
  }
}

}  // namespace
}  // namespace yona::testing
