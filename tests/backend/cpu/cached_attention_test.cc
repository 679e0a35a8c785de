// Attention over a cache against the reference, with heads on all of its paths, and to the bit
// against itself where keys are scored one by one.

#include "yona/backend/attention_pattern.h"

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Problem {
  Problem(std::int64_t all_heads, std::int64_t shared, std::int64_t head)
      : heads(all_heads),
        heads_per_kv(shared),
        d(head),
        q(Matrix::random(kRows, heads * d, 1)),
        k(Matrix::random(kKeys, heads / shared * d, 2, 3)),
        v(Matrix::random(kKeys, heads / shared * d, 3)),
        out(kRows, heads * d, 5) {}
  CachedAttentionArgs args() {
    return {.q = q.view(),
            .k = k.view(),
            .v = v.view(),
            .out = out.view(),
            .first = first.data(),
            .counts = counts.data(),
            .heads = heads,
            .heads_per_kv = heads_per_kv,
            .d_k = d,
            .d_v = d,
            .scale = 0.3F};
  }
  static constexpr std::int64_t kRows = 5, kKeys = 90;
  std::int64_t heads, heads_per_kv, d;
  Matrix q, k, v, out;
  std::vector<std::int64_t> first{0, 20, 40, 0, 89};
  std::vector<std::int32_t> counts{3, 4, 50, 7, 1};
};

std::ostream& operator<<(std::ostream& out, const Problem& problem) {
  return out << problem.heads << " heads of " << problem.d;
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const std::int64_t d : {1, 4, 7, 8, 16, 30, 32, 64, 128, 144}) {
    for (const auto& [heads, shared] : {std::pair<std::int64_t, std::int64_t>{7, 1}, {6, 3}}) {
      all.emplace_back(heads, shared, d);
    }
  }
  return all;
}

TEST(CpuCachedAttention, IsTheReferences) {
  for (Problem& problem : problems()) {
    reference_kernels().cached_attention(problem.args(), test::one_thread());
    const Matrix expected = problem.out;
    test::on_every_isa([&] {
      problem.out.fill(NAN);
      cpu_kernels().cached_attention(problem.args(), test::one_thread());
      EXPECT_TRUE(test::is_near(problem.out, expected, test::kToleranceF32)) << problem;
    });
  }
}

// A block that hides nothing has the scores computed key by key.
TEST(CpuCachedAttention, DoesNotDependOnHowManyKeysAreScoredTogether) {
  test::on_every_isa([] {
    for (Problem& problem : problems()) {
      cpu_kernels().cached_attention(problem.args(), test::one_thread());
      const Matrix expected = problem.out;
      CachedAttentionArgs one_by_one = problem.args();
      one_by_one.pattern.block = 1000;
      problem.out.fill(NAN);
      cpu_kernels().cached_attention(one_by_one, test::one_thread());
      EXPECT_EQ(problem.out, expected) << problem;
    }
  });
}

// Keys before the window are not read: they may be anything.
TEST(CpuCachedAttention, ReadsAWindowAlone) {
  test::on_every_isa([] {
    for (const std::int64_t dilation : {1, 3}) {
      Problem problem(4, 2, 32);
      problem.first = {0, 0, 0, 0, 0};
      problem.counts = {60, 60, 60, 60, 60};
      CachedAttentionArgs args = problem.args();
      args.pattern.before = 5;
      args.pattern.dilation = dilation;
      reference_kernels().cached_attention(args, test::one_thread());
      const Matrix expected = problem.out;
      for (std::int64_t key = 0; key < 59 - 5 * dilation; ++key) {
        problem.k.at(key, 0) = problem.v.at(key, 0) = NAN;
      }
      cpu_kernels().cached_attention(args, test::one_thread());
      EXPECT_TRUE(test::is_near(problem.out, expected, test::kToleranceF32)) << dilation;
    }
  });
}

}  // namespace
}  // namespace yona
