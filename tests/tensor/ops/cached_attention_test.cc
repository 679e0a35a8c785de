// Attention over a cache against attention over the whole sentence, whose last query it is.

#include "yona/tensor/ops/cached_attention.h"

#include <gtest/gtest.h>

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

struct Problem {
  std::int64_t heads, d_k, d_v;
  std::vector<std::int64_t> lengths;  // keys of each sentence
};

AttentionOptions heads_of(std::int64_t heads, std::int64_t d_k, std::int64_t d_v) {
  AttentionOptions options;
  options.heads = heads;
  options.d_k = d_k;
  options.d_v = d_v;
  return options;
}

template <class T>
Tensor uploaded(const std::vector<T>& values, const Shape& shape, Region& region) {
  Tensor tensor(region, dtype_of<T>(), shape);
  tensor.upload(values);
  return tensor;
}

std::vector<std::string_view> backends() {
  std::vector<std::string_view> names{"reference", "cpu"};
  if (has_cuda()) {
    names.emplace_back("cuda");
  }
  return names;
}

enum class Find { by_table, by_first };
enum class Scores { dot, biased, additive, features, window, dilated, sparse };

AttentionPattern pattern_of(Scores scores) {
  AttentionPattern pattern;
  if (scores == Scores::window || scores == Scores::dilated) {
    pattern.before = 3;
    pattern.dilation = scores == Scores::dilated ? 2 : 1;
  } else if (scores == Scores::sparse) {
    pattern.block = 4;
    pattern.global_blocks = pattern.random_blocks = 1;
    pattern.earlier = true;
  }
  return pattern;
}

// One query for each sentence, over keys that follow each other or lie about in any order.
void expect_last_row(const Problem& p, std::string_view backend_name, Find find, Scores scores) {
  Backend& backend = shared_backend(backend_name);
  Region region(backend, std::int64_t{1} << 26U);
  soil(region, 1 << 20);
  Context c{.region = region};
  const auto sentences = static_cast<std::int64_t>(p.lengths.size());
  std::vector<std::int64_t> key_offsets{0}, query_offsets{0};
  std::vector<std::int32_t> counts;
  for (const std::int64_t length : p.lengths) {
    key_offsets.push_back(key_offsets.back() + length);
    query_offsets.push_back(query_offsets.back() + 1);
    counts.push_back(static_cast<std::int32_t>(length));
  }
  const std::int64_t keys = key_offsets.back();
  const std::int64_t width = p.heads * (p.d_k + p.d_v);
  const std::vector<double> values = random_values(keys * width, 1);
  const Tensor kv = tensor_of(values, {keys, width}, DType::f32, region);
  const Tensor q = tensor_of(random_values(sentences * p.heads * p.d_k, 2),
                             {sentences, p.heads * p.d_k}, DType::f32, region);
  const Tensor vector =
      tensor_of(random_values(p.heads * p.d_k, 3), {p.heads, p.d_k}, DType::f32, region);
  AttentionOptions options = heads_of(p.heads, p.d_k, p.d_v);
  options.scale = 0.7F;
  options.pattern = pattern_of(scores);
  if (scores == Scores::biased) {
    constexpr std::int64_t kReach = 6;  // less than some sentences have, more than others
    options.bias = tensor_of(random_values(p.heads * (2 * kReach + 1), 4),
                             {p.heads, 2 * kReach + 1}, DType::f32, region);
  }
  const auto q_layout = make_layout(query_offsets, {}, region);
  const auto k_layout = make_layout(key_offsets, {}, region);
  const Tensor k = kv.columns(0, p.heads * p.d_k);
  const Tensor v = kv.columns(p.heads * p.d_k, p.heads * p.d_v);
  const Tensor omega = tensor_of(random_values(40 * p.d_k, 5), {40, p.d_k}, DType::f32, region);
  const Tensor whole = scores == Scores::additive
                           ? additive_attention(q, k, v, vector, q_layout, k_layout, options, c)
                       : scores == Scores::features
                           ? performer_attention(q, k, v, omega, q_layout, k_layout, options, c)
                           : attention(q, k, v, q_layout, k_layout, options, c);

  CachedKeys seen;
  seen.keys_and_values = kv;
  seen.counts = uploaded(counts, Shape{sentences}, region);
  if (find == Find::by_first) {
    key_offsets.pop_back();
    seen.first = uploaded(key_offsets, Shape{sentences}, region);
  } else {  // the keys turned round: row i lies at keys - 1 - i
    std::vector<double> turned(values.size());
    const std::int64_t most = *std::max_element(p.lengths.begin(), p.lengths.end());
    std::vector<std::int32_t> table(static_cast<std::size_t>(sentences * most), -1);
    for (std::int64_t i = 0; i < keys; ++i) {
      std::copy_n(values.begin() + i * width, width, turned.begin() + (keys - 1 - i) * width);
    }
    for (std::int64_t s = 0; s < sentences; ++s) {
      for (std::int64_t j = 0; j < p.lengths[static_cast<std::size_t>(s)]; ++j) {
        table[static_cast<std::size_t>(s * most + j)] =
            static_cast<std::int32_t>(keys - 1 - (key_offsets[static_cast<std::size_t>(s)] + j));
      }
    }
    seen.keys_and_values = tensor_of(turned, {keys, width}, DType::f32, region);
    seen.table = uploaded(table, Shape{sentences, most}, region);
  }
  const Tensor cached =
      scores == Scores::additive   ? cached_additive_attention(q, seen, vector, options, c)
      : scores == Scores::features ? cached_performer_attention(q, seen, omega, options, c)
                                   : cached_attention(q, seen, options, c);
  expect_near(values_of(cached), values_of(whole), kBackendF32, backend_name);
}

TEST(CachedAttention, IsTheLastRowOfAttentionOverTheWholeSentence) {
  const std::vector<Problem> problems{{2, 16, 16, {5, 1, 9}},
                                      {3, 5, 7, {4, 2}},
                                      {8, 64, 64, {33, 70, 2}},
                                      {1, 128, 24, {11}},
                                      {4, 32, 32, {20, 3, 17, 1, 6}}};
  for (const Problem& problem : problems) {
    for (const std::string_view backend : backends()) {
      for (const Find find : {Find::by_table, Find::by_first}) {
        for (const Scores scores : {Scores::dot, Scores::biased, Scores::additive, Scores::features,
                                    Scores::window, Scores::dilated, Scores::sparse}) {
          expect_last_row(problem, backend, find, scores);
        }
      }
    }
  }
}

TEST(CachedAttention, GivesZeroWhereNothingIsSeenAndIsNotMovedByLargeScores) {
  for (const std::string_view backend : backends()) {
    Region region(shared_backend(backend), std::int64_t{1} << 22U);
    soil(region, 1 << 16);
    Context c{.region = region};
    const Tensor kv = tensor_of({300, 1, 300, 3, -300, 7}, {3, 2}, DType::f32, region);
    const Tensor q = tensor_of({300, 300}, {2, 1}, DType::f32, region);
    const CachedKeys seen{.keys_and_values = kv,
                          .counts = uploaded(std::vector<std::int32_t>{3, 0}, Shape{2}, region),
                          .table = {},
                          .first = uploaded(std::vector<std::int64_t>{0, 3}, Shape{2}, region)};
    const Tensor out = cached_attention(q, seen, heads_of(1, 1, 1), c);
    expect_near(values_of(out), {2, 0}, 1e-6, backend);
  }
}

// Keys of the step itself, put into the cache on the way, against a cache that has them already.
TEST(CachedAttention, PutsFreshKeysIntoTheCacheAndSeesThem) {
  for (const std::string_view backend : backends()) {
    for (const std::int64_t d : {5, 32, 64, 128}) {
      SCOPED_TRACE(::testing::Message() << backend << ", heads of " << d);
      Region region(shared_backend(backend), std::int64_t{1} << 24U);
      soil(region, 1 << 20);
      Context c{.region = region};
      constexpr std::int64_t kHeads = 3, kRows = 3, kCached = 40;
      const std::int64_t width = 2 * kHeads * d;
      std::vector<double> cache = random_values(kCached * width, 1);
      const std::vector<double> fresh = random_values(kRows * width, 2);
      const Tensor q =
          tensor_of(random_values(kRows * kHeads * d, 3), {kRows, kHeads * d}, DType::f32, region);
      const std::vector<std::int32_t> counts{9, 0, 17}, places{30, -1, 31};
      std::vector<std::int32_t> table(kRows * 20, 0);
      for (std::size_t j = 0; j < 20; ++j) {
        table[j] = static_cast<std::int32_t>(j * 3 % 29);
        table[40 + j] = static_cast<std::int32_t>(j * 5 % 29);
      }
      CachedKeys seen{.keys_and_values = tensor_of(cache, {kCached, width}, DType::f32, region),
                      .counts = uploaded(counts, Shape{kRows}, region),
                      .table = uploaded(table, Shape{kRows, 20}, region)};
      seen.fresh = tensor_of(fresh, {kRows, width}, DType::f32, region);
      seen.places = uploaded(places, Shape{kRows}, region);
      const Tensor out = cached_attention(q, seen, heads_of(kHeads, d, d), c);

      std::copy_n(fresh.begin(), width, cache.begin() + 30 * width);
      std::copy_n(fresh.begin() + 2 * width, width, cache.begin() + 31 * width);
      table[9] = 30;
      table[40 + 17] = 31;
      const CachedKeys whole{
          .keys_and_values = tensor_of(cache, {kCached, width}, DType::f32, region),
          .counts = uploaded(std::vector<std::int32_t>{10, 0, 18}, Shape{kRows}, region),
          .table = uploaded(table, Shape{kRows, 20}, region)};
      expect_near(values_of(out), values_of(cached_attention(q, whole, heads_of(kHeads, d, d), c)),
                  1e-6, "out");
      expect_near(values_of(seen.keys_and_values), cache, 1e-7, "cache");
    }
  }
}

TEST(CachedAttention, RefusesShapesThatDoNotFit) {
  Region region(shared_backend("reference"), std::int64_t{1} << 20U);
  Context c{.region = region};
  const Tensor q = tensor_of({1, 2}, {1, 2}, DType::f32, region);
  CachedKeys seen{.keys_and_values = tensor_of({1, 2, 3}, {1, 3}, DType::f32, region),
                  .counts = uploaded(std::vector<std::int32_t>{1}, Shape{1}, region),
                  .table = {},
                  .first = uploaded(std::vector<std::int64_t>{0}, Shape{1}, region)};
  EXPECT_EQ(message_of<InvalidArgument>([&] { cached_attention(q, seen, heads_of(1, 2, 2), c); }),
            "cached_attention: q [1, 2] and a cache of [1, 3] do not fit 1 heads of d_k 2 and d_v "
            "2");
  seen.counts = uploaded(std::vector<std::int32_t>{1, 1}, Shape{2}, region);
  EXPECT_EQ(message_of<InvalidArgument>([&] { cached_attention(q, seen, heads_of(1, 2, 1), c); }),
            "cached_attention: 2 counts for 1 queries");
}

}  // namespace
}  // namespace yona::testing
