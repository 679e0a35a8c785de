// Attention by locality-sensitive hashing on the device, in f32 and bf16, and what a step of
// decoding sees there.

#include <cmath>

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

constexpr std::int64_t kLshTokens = 130;
constexpr std::int64_t kLshHeads = 3;
constexpr std::int64_t kLshRounds = 2;

class CudaLshAttention : public CudaTest {
 protected:
  using Integers = Numbers<std::int32_t>;

  static std::vector<double> drawn_buckets() {
    std::vector<double> values = random_values(kLshTokens * kLshHeads * kLshRounds, 3, 0.0, 4.0);
    for (double& value : values) {
      value = std::floor(value);
    }
    return values;
  }
  static std::int32_t* writable(const Integers& numbers, bool on) {
    return (on ? numbers.device : numbers.host).data<std::int32_t>();
  }
  static void expect_equal(const Integers& numbers, const std::string& what) {
    EXPECT_EQ(numbers.device.to_vector<std::int32_t>(), numbers.host.to_vector<std::int32_t>())
        << what;
  }
};

TEST_F(CudaLshAttention, AndItsGradientsAreTheReferences) {
  const Numbers<std::int64_t> offsets({0, 90, 90, 91, kLshTokens});
  const std::vector<std::int32_t> none(kLshTokens * kLshHeads * kLshRounds, -1);
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const bool causal : {false, true}) {
      SCOPED_TRACE(::testing::Message() << name_of(dtype) << (causal ? ", causal" : ""));
      const double tolerance = dtype == DType::bf16 ? 3e-2 : 1e-4;
      const std::int64_t rows = kLshTokens * kLshHeads;
      const Both buckets(rows, kLshRounds, dtype, drawn_buckets());
      const Integers order(none);
      const Integers place(none);
      const Integers begin(none);
      const Integers end(none);
      const auto sorted = [&](bool on) {
        return LshOrder{writable(order, on), writable(place, on), writable(begin, on),
                        writable(end, on), kLshTokens};
      };
      run(&Kernels::lsh_order, [&](bool on) {
        return LshOrderArgs{.buckets = buckets.view(on),
                            .heads = kLshHeads,
                            .count = 4,
                            .offsets = offsets.data(on),
                            .sentences = 4,
                            .order = sorted(on)};
      });
      expect_equal(order, "order");
      expect_equal(place, "place");
      const Both q(rows, 40, dtype, 4);
      const Both k(rows, 40, dtype, 5);
      const Both v(rows, 33, dtype, 6);
      const Both out(rows, 33, dtype, 7);
      const Both lse(rows, 1, DType::f32, 8);
      const auto forward = [&](bool on) {
        return LshAttentionArgs{.q = q.view(on),
                                .k = k.view(on),
                                .v = v.view(on),
                                .out = out.view(on),
                                .lse = lse.view(on),
                                .order = sorted(on),
                                .heads = kLshHeads,
                                .rounds = kLshRounds,
                                .chunk = 8,
                                .scale = 0.3F,
                                .causal = causal};
      };
      run(&Kernels::lsh_attention, forward);
      out.expect_equal("out", tolerance);
      lse.expect_equal("lse", 1e-4);
      out.set(out.device_values());
      const Both dout(rows, 33, dtype, 9);
      const Both products(rows, 1, DType::f32, 10);
      const Both dq(rows, 40, dtype, 11);
      const Both dk(rows, 40, dtype, 12);
      const Both dv(rows, 33, dtype, 13);
      run(&Kernels::lsh_attention_backward, [&](bool on) {
        return LshAttentionBackwardArgs{.forward = forward(on),
                                        .dout = dout.view(on),
                                        .dq = dq.view(on),
                                        .dk = dk.view(on),
                                        .dv = dv.view(on),
                                        .products = products.view(on),
                                        .accumulate_dk = true};
      });
      dq.expect_equal("dq", tolerance);
      dk.expect_equal("dk", tolerance);
      dv.expect_equal("dv", tolerance);
    }
  }
}

// Sequences in rows that follow each other, and by a table; with the newest among them, and in a
// place of its own or nowhere.
TEST_F(CudaLshAttention, SeesInAStepWhatTheReferenceDoes) {
  constexpr std::int64_t kRows = 3;
  constexpr std::int64_t kMost = 2 * 4 * kLshRounds;
  const Both buckets(kLshTokens * kLshHeads, kLshRounds, DType::f32, drawn_buckets());
  const Numbers<std::int64_t> first({0, 20, 5});
  const Integers counts({90, 1, 77});
  const Integers places({100, -1, 101});
  std::vector<std::int32_t> rows;
  for (std::int32_t i = 0; i < kRows * kLshTokens; ++i) {
    rows.push_back(i * 7 % static_cast<std::int32_t>(kLshTokens));
  }
  const Integers table(rows);
  for (const bool has_table : {false, true}) {
    for (const bool has_places : {false, true}) {
      const Integers seen(std::vector<std::int32_t>(kRows * kLshHeads * kMost, -1));
      const Integers seen_counts(std::vector<std::int32_t>(kRows * kLshHeads, -1));
      run(&Kernels::lsh_table, [&](bool on) {
        return LshTableArgs{.buckets = buckets.view(on),
                            .table = has_table ? table.data(on) : nullptr,
                            .table_stride = kLshTokens,
                            .first = has_table ? nullptr : first.data(on),
                            .counts = counts.data(on),
                            .places = has_places ? places.data(on) : nullptr,
                            .rows = kRows,
                            .heads = kLshHeads,
                            .chunk = 4,
                            .seen = writable(seen, on),
                            .seen_counts = writable(seen_counts, on),
                            .most = kMost};
      });
      expect_equal(seen_counts, "counts");
      expect_equal(seen, "rows");
    }
  }
}

}  // namespace
}  // namespace yona::testing
