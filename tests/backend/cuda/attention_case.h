// What the tests of attention on the device share: a case, forward and backward, beside the
// reference; and backward twice, for equal bits, with kept decisions the first time.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/backend/cuda/both.h"

namespace yona::testing {

struct Shape4 {
  std::int64_t heads, d_k, d_v;
};

class CudaAttention : public CudaTest {
 protected:
  struct Case {
    std::vector<std::int64_t> queries, keys;
    Shape4 shape{};
    Mask mask = Mask::none;
    bool bias = false;
    double dropout = 0.0;
    bool additive = false;
    DType dtype = DType::f32;
    float scale = 0.7F;
    bool accumulate = false;  // all gradients, not that of the keys alone, and no sums
    bool write = false;       // that of the keys too: no gradient is added to
    std::int64_t heads_per_kv = 1;
    AttentionPattern pattern{};
  };

  static std::vector<std::int64_t> offsets_of(const std::vector<std::int64_t>& lengths) {
    std::vector<std::int64_t> offsets{0};
    for (const std::int64_t length : lengths) {
      offsets.push_back(offsets.back() + length);
    }
    return offsets;
  }

  static LengthClasses classes_of(const std::vector<std::int64_t>& lengths) {
    LengthClasses classes = 0;
    for (const std::int64_t length : lengths) {
      classes |= length_class(length);
    }
    return classes;
  }

  static void expect_reference(const Case& t) {
    SCOPED_TRACE(::testing::Message()
                 << t.queries.size() << " sentences, heads " << t.shape.heads << " of "
                 << t.shape.d_k << ", " << t.shape.d_v << ", " << t.heads_per_kv
                 << " for each of keys, mask " << static_cast<int>(t.mask)
                 << (t.bias ? ", bias" : "") << ", dropout " << t.dropout
                 << (t.additive ? ", additive " : " ") << name_of(t.dtype) << ", window "
                 << t.pattern.before << ", " << t.pattern.after << " by " << t.pattern.dilation
                 << ", blocks of " << t.pattern.block);
    const std::vector<std::int64_t> q_offsets = offsets_of(t.queries);
    const std::vector<std::int64_t> k_offsets = offsets_of(t.keys);
    const std::int64_t heads = t.shape.heads;
    const std::int64_t kv_heads = heads / t.heads_per_kv;
    const std::int64_t d_k = t.shape.d_k;
    const std::int64_t d_v = t.shape.d_v;
    const std::int64_t T_q = q_offsets.back();
    const std::int64_t T_k = k_offsets.back();
    const Both q(T_q, heads * d_k, t.dtype, 1);
    const Both k(T_k, kv_heads * d_k, t.dtype, 2);
    const Both v(T_k, kv_heads * d_v, t.dtype, 3);
    const Both out(T_q, heads * d_v, t.dtype, 4);
    const Both lse(T_q, heads, DType::f32, 5);
    const Both bias(heads, 7, DType::f32, 6);
    const Both vector(heads, d_k, DType::f32, 7);
    const Numbers<std::int64_t> queries(q_offsets);
    const Numbers<std::int64_t> keys(k_offsets);
    const Numbers<std::int64_t> prefix(std::vector<std::int64_t>(t.queries.size(), 3));
    const auto names = row_keys(T_q);
    std::uint32_t* keep_mask = nullptr;  // on the device, while they are kept
    const auto forward = [&](bool on) {
      return AttentionArgs{.q = q.view(on),
                           .k = k.view(on),
                           .v = v.view(on),
                           .out = out.view(on),
                           .lse = lse.view(on),
                           .q_offsets = queries.data(on),
                           .k_offsets = t.queries == t.keys ? queries.data(on) : keys.data(on),
                           .sentences = static_cast<std::int64_t>(t.queries.size()),
                           .longest_q = *std::max_element(t.queries.begin(), t.queries.end()),
                           .longest_k = *std::max_element(t.keys.begin(), t.keys.end()),
                           .lengths_q = classes_of(t.queries),
                           .lengths_k = classes_of(t.keys),
                           .heads = heads,
                           .heads_per_kv = t.heads_per_kv,
                           .d_k = d_k,
                           .d_v = d_v,
                           .scale = t.scale,
                           .mask = t.mask,
                           .prefix = prefix.data(on),
                           .pattern = t.pattern,
                           .bias = t.bias ? bias.view(on) : View{},
                           .q_keys = names.keys(on),
                           .dropout = t.dropout > 0 ? Dropout::with(t.dropout, 8, 9) : Dropout{},
                           .keep_mask = on ? keep_mask : nullptr};
    };
    Tensor kept;
    if (const std::int64_t bytes = cuda().keep_mask_bytes(forward(true));
        bytes > 0 && !t.additive) {
      kept = Tensor(device_region(), DType::u8, Shape{bytes});
      keep_mask = static_cast<std::uint32_t*>(kept.raw());
    }
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
    const Both dk(T_k, kv_heads * d_k, t.dtype, 12);
    const Both dv(T_k, kv_heads * d_v, t.dtype, 13);
    const Both dbias(heads, 7, DType::f32, 14);
    const std::vector<double> dbias_before = dbias.device_values();
    const Both dvector(heads, d_k, DType::f32, 15);
    const Both dq_sums(1, heads * d_k, DType::f32, 16);
    const Both dv_sums(1, kv_heads * d_v, DType::f32, 17);
    const bool has_sums = !t.additive && !t.accumulate;
    const auto backward = [&](bool on) {
      return AttentionBackwardArgs{.forward = forward(on),
                                   .dout = dout.view(on),
                                   .dq = dq.view(on),
                                   .dk = dk.view(on),
                                   .dv = dv.view(on),
                                   .accumulate_dq = t.accumulate,
                                   .accumulate_dk = !t.write,
                                   .accumulate_dv = t.accumulate,
                                   .dbias = t.bias ? dbias.view(on) : View{},
                                   .dq_sums = has_sums ? dq_sums.view(on) : View{},
                                   .dv_sums = has_sums ? dv_sums.view(on) : View{}};
    };
    if (t.additive) {
      run(&Kernels::additive_attention_backward, [&](bool on) {
        return AdditiveAttentionBackwardArgs{
            .attention = backward(on), .vector = vector.view(on), .dvector = dvector.view(on)};
      });
      dvector.expect_equal("dvector", tolerance_of(t.dtype) * 5);
    } else {
      const Both* results[] = {&dq, &dk, &dv, &dq_sums, &dv_sums};
      std::vector<std::vector<double>> before;
      std::vector<std::vector<double>> first;
      for (const Both* result : results) {
        before.push_back(result->device_values());
      }
      cuda().kernels().attention_backward(backward(true), cuda().exec());
      for (std::size_t i = 0; i < std::size(results); ++i) {
        first.push_back(results[i]->device_values());
        results[i]->set(before[i]);
      }
      dbias.set(dbias_before);
      keep_mask = nullptr;  // now they are made again
      run(&Kernels::attention_backward, backward);
      for (std::size_t i = 0; i < std::size(results); ++i) {
        EXPECT_EQ(results[i]->device_values(), first[i]) << "equal bits, result " << i;
      }
    }
    dq.expect_equal("dq", tolerance_of(t.dtype) * 3);
    dk.expect_equal("dk", tolerance_of(t.dtype) * 3);
    dv.expect_equal("dv", tolerance_of(t.dtype) * 3);
    dbias.expect_equal("dbias", tolerance_of(t.dtype) * 5);
    dq_sums.expect_equal("sums of dq", tolerance_of(t.dtype) * 5);
    dv_sums.expect_equal("sums of dv", tolerance_of(t.dtype) * 5);
  }
};

}  // namespace yona::testing
