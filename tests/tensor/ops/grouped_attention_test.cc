// Grouped-query attention: several heads of queries for each head of keys and values.

#include <gtest/gtest.h>

#include "yona/tensor/ops/attention.h"
#include "yona/tensor/ops/cached_attention.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

struct GroupedVariant {
  std::string name;
  std::vector<std::int64_t> queries, keys;
  std::int64_t heads, kv_heads, d_k, d_v;
  Mask mask = Mask::none;
  double dropout = 0.0;

  std::int64_t group() const { return heads / kv_heads; }
};

std::vector<GroupedVariant> small_variants() {
  const std::vector<std::int64_t> few{3, 1, 4};
  return {
      {"two for each", few, few, 4, 2, 3, 2},
      {"one for all", few, few, 3, 1, 2, 3, Mask::causal},
      {"cross", few, {2, 5, 1}, 6, 3, 2, 2},
      {"a sentence without keys", {2, 1}, {0, 3}, 4, 2, 2, 2},
      {"dropout over more heads than a block decides", {3}, {4}, 12, 1, 1, 2, Mask::causal, 0.4},
      {"groups across a block of decisions", {3}, {3}, 9, 3, 1, 1, Mask::none, 0.4}};
}

std::vector<GroupedVariant> long_variants() {
  return {{"many tiles", {130, 70}, {130, 70}, 4, 2, 16, 16, Mask::causal},
          {"one for all, many tiles", {90}, {200}, 12, 1, 8, 16, Mask::none, 0.2},
          {"heads of 64", {70, 3}, {70, 3}, 8, 2, 64, 64, Mask::causal},
          {"heads of 128", {40}, {40}, 4, 1, 128, 128, Mask::causal}};
}

AttentionOptions grouped_options(const GroupedVariant& v, Context& c) {
  AttentionOptions options;
  options.heads = v.heads;
  options.kv_heads = v.kv_heads;
  options.d_k = v.d_k;
  options.d_v = v.d_v;
  options.scale = 0.6F;
  options.mask = v.mask;
  options.dropout = c.dropout(v.dropout, 2U << 12U);
  return options;
}

std::int64_t sum_of(const std::vector<std::int64_t>& lengths) {
  std::int64_t sum = 0;
  for (const std::int64_t length : lengths) {
    sum += length;
  }
  return sum;
}

OpCase grouped(const GroupedVariant& v) {
  return {v.name,
          {{{sum_of(v.queries), v.heads * v.d_k}},
           {{sum_of(v.keys), v.kv_heads * v.d_k}},
           {{sum_of(v.keys), v.kv_heads * v.d_v}}},
          [v](const Inputs& x, Context& c) {
            const Tensor out = attention(x[0], x[1], x[2], layout_of(v.queries, c.region),
                                         layout_of(v.keys, c.region), grouped_options(v, c), c);
            Inputs heads;
            for (std::int64_t head = 0; head < v.heads; ++head) {
              heads.push_back(out.columns(head * v.d_v, v.d_v));
            }
            return heads;
          }};
}

// Each head of queries by itself, with its keys and values.
OpCase one_by_one(const GroupedVariant& v) {
  OpCase made = grouped(v);
  made.op = [v](const Inputs& x, Context& c) {
    AttentionOptions options = grouped_options(v, c);
    options.heads = 1;
    options.kv_heads = 0;
    Inputs heads;
    for (std::int64_t head = 0; head < v.heads; ++head) {
      const std::int64_t kv = head / v.group();
      heads.push_back(attention(x[0].columns(head * v.d_k, v.d_k), x[1].columns(kv * v.d_k, v.d_k),
                                x[2].columns(kv * v.d_v, v.d_v), layout_of(v.queries, c.region),
                                layout_of(v.keys, c.region), options, c));
    }
    return heads;
  };
  return made;
}

TEST(GroupedAttention, PassesEveryUseOfItsCases) {
  for (const GroupedVariant& variant : small_variants()) {
    check_op(grouped(variant));
  }
}

TEST(GroupedAttention, IsTheSameOnEveryBackendOverManyTiles) {
  for (const GroupedVariant& variant : long_variants()) {
    expect_backends_agree(grouped(variant));
  }
}

TEST(GroupedAttention, IsEachHeadWithItsKeys) {
  for (const GroupedVariant& variant : small_variants()) {
    if (variant.dropout == 0.0) {  // decisions differ by head
      expect_same(grouped(variant), one_by_one(variant));
    }
  }
}

// A cache of all keys against attention over them; keys of the step may come with it.
TEST(GroupedAttention, OverACacheIsTheLastRowOfTheWhole) {
  constexpr std::int64_t kKeys = 11;
  std::vector<std::string_view> backends{"reference", "cpu"};
  if (has_cuda()) {
    backends.emplace_back("cuda");
  }
  for (const std::string_view name : backends) {
    for (const std::int64_t d : {5, 32, 64, 128}) {
      for (const bool fresh : {false, true}) {
        SCOPED_TRACE(::testing::Message() << name << ", heads of " << d << ", fresh " << fresh);
        Region region(shared_backend(name), std::int64_t{1} << 26U);
        soil(region, 1 << 20);
        Context c{.region = region};
        const GroupedVariant v{"cache", {1}, {kKeys}, 6, 2, d, d};
        const AttentionOptions options = grouped_options(v, c);
        const std::int64_t width = 2 * v.kv_heads * d;
        const Tensor kv =
            tensor_of(random_values(kKeys * width, 1), {kKeys, width}, DType::f32, region);
        const Tensor q =
            tensor_of(random_values(v.heads * d, 2), {1, v.heads * d}, DType::f32, region);
        const Tensor whole =
            attention(q, kv.columns(0, v.kv_heads * d), kv.columns(v.kv_heads * d, v.kv_heads * d),
                      layout_of(v.queries, region), layout_of(v.keys, region), options, c);
        CachedKeys seen;
        seen.keys_and_values = kv;
        seen.counts = ids_of({static_cast<std::int32_t>(fresh ? kKeys - 1 : kKeys)}, region);
        seen.first = Tensor(region, DType::i64, Shape{1});
        seen.first.upload(std::vector<std::int64_t>{0});
        if (fresh) {
          seen.fresh =
              tensor_of(values_of(kv.row_range(kKeys - 1, 1)), {1, width}, DType::f32, region);
          set_values(kv.row_range(kKeys - 1, 1),
                     std::vector<double>(static_cast<std::size_t>(width), 9.0));
          seen.places = ids_of({kKeys - 1}, region);
        }
        expect_near(values_of(cached_attention(q, seen, options, c)), values_of(whole), kBackendF32,
                    name);
      }
    }
  }
}

TEST(GroupedAttention, RefusesHeadsThatDoNotDivide) {
  GroupedVariant bad{"bad", {2}, {2}, 4, 3, 2, 2};
  EXPECT_EQ(message_of<InvalidArgument>([&] { run_op(grouped(bad)); }),
            "attention: 3 heads of keys do not divide 4 heads");
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region};
  const auto layout = layout_of({2}, region);
  AttentionOptions options = grouped_options(bad, c);
  options.kv_heads = 2;
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              additive_attention(c.zeros(DType::f32, {2, 8}), c.zeros(DType::f32, {2, 4}),
                                 c.zeros(DType::f32, {2, 4}), c.zeros(DType::f32, {4, 2}), layout,
                                 layout, options, c);
            }),
            "additive_attention: 4 heads cannot share 2 heads of keys");
}

}  // namespace
}  // namespace yona::testing
