// Attention on the device: types, head sizes and lengths on both sides of every tile.

#include <algorithm>

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

struct Shape4 {
  std::int64_t heads, d_k, d_v;
};

class CudaAttention : public CudaTest {
 protected:
  struct Case {
    std::vector<std::int64_t> queries, keys;
    Shape4 shape;
    Mask mask = Mask::none;
    bool bias = false;
    double dropout = 0.0;
    bool additive = false;
    DType dtype = DType::f32;
    float scale = 0.7F;
  };

  static std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& lengths) {
    std::vector<std::int64_t> offsets{0};
    for (const std::int64_t length : lengths) {
      offsets.push_back(offsets.back() + length);
    }
    return offsets;
  }

  static void expect_reference(const Case& t) {
    SCOPED_TRACE(::testing::Message()
                 << t.queries.size() << " sentences, heads " << t.shape.heads << " of "
                 << t.shape.d_k << ", " << t.shape.d_v << ", mask " << static_cast<int>(t.mask)
                 << (t.bias ? ", bias" : "") << ", dropout " << t.dropout
                 << (t.additive ? ", additive " : " ") << name_of(t.dtype));
    const std::vector<std::int64_t> q_offsets = offsets_of(t.queries);
    const std::vector<std::int64_t> k_offsets = offsets_of(t.keys);
    const std::int64_t heads = t.shape.heads;
    const std::int64_t d_k = t.shape.d_k;
    const std::int64_t d_v = t.shape.d_v;
    const std::int64_t T_q = q_offsets.back();
    const std::int64_t T_k = k_offsets.back();
    const Both q(T_q, heads * d_k, t.dtype, 1);
    const Both k(T_k, heads * d_k, t.dtype, 2);
    const Both v(T_k, heads * d_v, t.dtype, 3);
    const Both out(T_q, heads * d_v, t.dtype, 4);
    const Both lse(T_q, heads, DType::f32, 5);
    const Both bias(heads, 7, DType::f32, 6);
    const Both vector(heads, d_k, DType::f32, 7);
    const Numbers<std::int64_t> queries(q_offsets);
    const Numbers<std::int64_t> keys(k_offsets);
    const Numbers<std::int64_t> prefix(std::vector<std::int64_t>(t.queries.size(), 3));
    const auto names = row_keys(T_q);
    const auto forward = [&](bool on) {
      return AttentionArgs{.q = q.view(on),
                           .k = k.view(on),
                           .v = v.view(on),
                           .out = out.view(on),
                           .lse = lse.view(on),
                           .q_offsets = queries.data(on),
                           .k_offsets = keys.data(on),
                           .sentences = static_cast<std::int64_t>(t.queries.size()),
                           .longest_q = *std::max_element(t.queries.begin(), t.queries.end()),
                           .longest_k = *std::max_element(t.keys.begin(), t.keys.end()),
                           .heads = heads,
                           .d_k = d_k,
                           .d_v = d_v,
                           .scale = t.scale,
                           .mask = t.mask,
                           .prefix = prefix.data(on),
                           .bias = t.bias ? bias.view(on) : View{},
                           .q_keys = names.keys(on),
                           .dropout = t.dropout > 0 ? Dropout::with(t.dropout, 8, 9) : Dropout{}};
    };
    if (t.additive) {
      run(&Kernels::additive_attention, [&](bool on) {
        return AdditiveAttentionArgs{.attention = forward(on), .vector = vector.view(on)};
      });
    } else {
      run(&Kernels::attention, forward);
    }
    out.expect_equal("out");
    lse.expect_equal("lse", tolerance_of(t.dtype));

    // Both sides go on from the same outputs.
    out.set(out.device_values());
    lse.set(lse.device_values());
    const Both dout(T_q, heads * d_v, t.dtype, 10);
    const Both dq(T_q, heads * d_k, t.dtype, 11);
    const Both dk(T_k, heads * d_k, t.dtype, 12);
    const Both dv(T_k, heads * d_v, t.dtype, 13);
    const Both dbias(heads, 7, DType::f32, 14);
    const Both dvector(heads, d_k, DType::f32, 15);
    const Both dq_sums(1, heads * d_k, DType::f32, 16);
    const Both dv_sums(1, heads * d_v, DType::f32, 17);
    const auto backward = [&](bool on) {
      return AttentionBackwardArgs{.forward = forward(on),
                                   .dout = dout.view(on),
                                   .dq = dq.view(on),
                                   .dk = dk.view(on),
                                   .dv = dv.view(on),
                                   .accumulate_dk = true,
                                   .dbias = t.bias ? dbias.view(on) : View{},
                                   .dq_sums = t.additive ? View{} : dq_sums.view(on),
                                   .dv_sums = t.additive ? View{} : dv_sums.view(on)};
    };
    if (t.additive) {
      run(&Kernels::additive_attention_backward, [&](bool on) {
        return AdditiveAttentionBackwardArgs{
            .attention = backward(on), .vector = vector.view(on), .dvector = dvector.view(on)};
      });
      dvector.expect_equal("dvector", tolerance_of(t.dtype) * 5);
    } else {
      run(&Kernels::attention_backward, backward);
    }
    dq.expect_equal("dq", tolerance_of(t.dtype) * 3);
    dk.expect_equal("dk", tolerance_of(t.dtype) * 3);
    dv.expect_equal("dv", tolerance_of(t.dtype) * 3);
    dbias.expect_equal("dbias", tolerance_of(t.dtype) * 5);
    dq_sums.expect_equal("sums of dq", tolerance_of(t.dtype) * 5);
    dv_sums.expect_equal("sums of dv", tolerance_of(t.dtype) * 5);
  }
};

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
