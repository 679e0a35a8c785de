// The weights that attention never forms, formed: they agree on every backend, sum to one over what
// is seen, and times V give what the fused attention gives.

#include <numeric>

#include <gtest/gtest.h>

#include "yona/tensor/ops/attention.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

using Lengths = std::vector<std::int64_t>;

struct WeightsVariant {
  std::string name;
  Lengths queries, keys;
  std::int64_t heads = 2, d_k = 3, d_v = 4;
  Mask mask = Mask::none;
  Lengths prefix{};
  std::int64_t reach = -1;  // R of the bias; -1: none
  bool additive = false;
};

std::vector<WeightsVariant> weights_variants() {
  const Lengths few{3, 1, 5};
  std::vector<WeightsVariant> all{
      {"none", few, few},
      {"causal", few, few, 2, 3, 4, Mask::causal},
      {"prefix", few, few, 2, 3, 4, Mask::prefix, {2, 0, 9}},
      {"cross", few, {2, 4, 1}},
      {"queries that see nothing", {4, 2}, {2, 2}, 1, 2, 2, Mask::causal},
      {"a sentence without keys", {2, 1}, {0, 3}},
      {"a sentence without queries", {0, 2}, {3, 2}},
      {"no sentence", {}, {}},
      {"one token", {1}, {1}, 1, 1, 1},
      {"bias", few, few, 2, 3, 4, Mask::causal, {}, 2},
      {"one wide head", {3, 2}, {3, 2}, 1, 40, 17},
      {"several tiles", {130, 1, 70}, {130, 3, 200}, 3, 16, 8},
      {"several tiles, causal, bias", {130, 70}, {130, 70}, 2, 8, 8, Mask::causal, {}, 9}};
  const std::size_t plain = all.size();
  for (std::size_t i = 0; i < plain; ++i) {
    if (all[i].reach < 0) {
      all.push_back(all[i]);
      all.back().name += ", additive";
      all.back().additive = true;
    }
  }
  return all;
}

std::int64_t total(const Lengths& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
}

AttentionOptions options_of(const WeightsVariant& variant, const Inputs& x, Context& c) {
  AttentionOptions options{.heads = variant.heads,
                           .d_k = variant.d_k,
                           .d_v = variant.d_v,
                           .scale = 0.6F,
                           .mask = variant.mask,
                           .prefix = {},
                           .bias = variant.reach >= 0 ? x[3] : Tensor(),
                           .dropout = {}};
  if (variant.mask == Mask::prefix) {
    options.prefix = c.empty(DType::i64, {static_cast<std::int64_t>(variant.prefix.size())});
    options.prefix.upload(variant.prefix);
  }
  return options;
}

// Outputs: the weights, and what the fused op makes of the same inputs.
OpCase both(const WeightsVariant& variant) {
  const std::int64_t h = variant.heads;
  OpCase made{variant.name,
              {{{total(variant.queries), h * variant.d_k}, false},
               {{total(variant.keys), h * variant.d_k}, false},
               {{total(variant.keys), h * variant.d_v}, false}},
              [variant](const Inputs& x, Context& c) {
                const auto queries = layout_of(variant.queries, c.region);
                const auto keys = layout_of(variant.keys, c.region);
                const AttentionOptions options = options_of(variant, x, c);
                if (variant.additive) {
                  return Inputs{
                      additive_attention_weights(x[0], x[1], x[3], queries, keys, options, c),
                      additive_attention(x[0], x[1], x[2], x[3], queries, keys, options, c)};
                }
                return Inputs{attention_weights(x[0], x[1], queries, keys, options, c),
                              attention(x[0], x[1], x[2], queries, keys, options, c)};
              }};
  if (variant.additive) {
    made.inputs.push_back({{h, variant.d_k}, false});
  } else if (variant.reach >= 0) {
    made.inputs.push_back({{h, 2 * variant.reach + 1}, false});
  }
  return made;
}

// How many keys, from the first, query i of sentence s sees.
std::int64_t seen(const WeightsVariant& variant, std::size_t s, std::int64_t i) {
  const std::int64_t keys = variant.keys[s];
  const std::int64_t causal = std::clamp<std::int64_t>(i + 1 + keys - variant.queries[s], 0, keys);
  switch (variant.mask) {
    case Mask::none:
      return keys;
    case Mask::causal:
      return causal;
    case Mask::prefix:
      return std::max(causal, std::min(variant.prefix[s], keys));
  }
  return 0;
}

// Calls function(sentence, head, query, its row of weights) for every row.
template <class Function>
void for_each_row(const WeightsVariant& variant, const std::vector<double>& weights,
                  const Function& function) {
  auto row = weights.begin();
  for (std::size_t s = 0; s < variant.queries.size(); ++s) {
    for (std::int64_t head = 0; head < variant.heads; ++head) {
      for (std::int64_t i = 0; i < variant.queries[s]; ++i) {
        function(s, head, i, std::vector<double>(row, row + variant.keys[s]));
        row += variant.keys[s];
      }
    }
  }
  EXPECT_EQ(row, weights.end()) << variant.name;
}

const std::vector<OpRun>& runs() {
  static const std::vector<OpRun> all{{}, {.backend = "cpu", .dtype = DType::f32, .threads = 2}};
  return all;
}

TEST(AttentionWeights, AgreeOnEveryBackend) {
  for (const WeightsVariant& variant : weights_variants()) {
    expect_backends_agree(both(variant));
  }
}

TEST(AttentionWeights, SumToOneOverWhatIsSeenAndAreZeroElsewhere) {
  for (const WeightsVariant& variant : weights_variants()) {
    for (const OpRun& run : runs()) {
      for_each_row(
          variant, run_op(both(variant), run).outputs[0],
          [&](std::size_t s, std::int64_t, std::int64_t i, const std::vector<double>& row) {
            const std::int64_t count = seen(variant, s, i);
            const auto end = row.begin() + count;
            EXPECT_NEAR(std::accumulate(row.begin(), end, 0.0), count > 0 ? 1.0 : 0.0, kBackendF32)
                << variant.name;
            EXPECT_EQ(std::count(end, row.end(), 0.0), row.end() - end) << variant.name;
          });
    }
  }
}

TEST(AttentionWeights, TimesTheValuesAreWhatTheFusedAttentionGives) {
  for (const WeightsVariant& variant : weights_variants()) {
    const OpCase op_case = both(variant);
    std::vector<double> v;
    OpCase reading = op_case;
    reading.op = [&](const Inputs& x, Context& c) {
      v = values_of(x[2]);
      return op_case.op(x, c);
    };
    for (const OpRun& run : runs()) {
      const OpResult result = run_op(reading, run);
      std::vector<double> expected(result.outputs[1].size(), 0.0);
      for_each_row(
          variant, result.outputs[0],
          [&](std::size_t s, std::int64_t head, std::int64_t i, const std::vector<double>& row) {
            const Lengths queries(variant.queries.begin(), variant.queries.begin() + s);
            const Lengths keys(variant.keys.begin(), variant.keys.begin() + s);
            const std::int64_t width = variant.heads * variant.d_v;
            const std::int64_t to = (total(queries) + i) * width + head * variant.d_v;
            const std::int64_t from = total(keys) * width + head * variant.d_v;
            for (std::size_t j = 0; j < row.size(); ++j) {
              for (std::int64_t c = 0; c < variant.d_v; ++c) {
                expected[static_cast<std::size_t>(to + c)] +=
                    row[j] *
                    v[j * static_cast<std::size_t>(width) + static_cast<std::size_t>(from + c)];
              }
            }
          });
      expect_near(result.outputs[1], expected, run.dtype == DType::f64 ? kExactF64 : kBackendF32,
                  variant.name);
    }
  }
}

TEST(AttentionWeights, AreFiniteForLargeScores) {
  for (const OpRun& run : runs()) {
    const OpCase large{
        "large", {{{2, 1}, false}, {{2, 1}, false}}, [](const Inputs& x, Context& c) {
          set_values(x[0], {1000, -1000});
          set_values(x[1], {1000, -1000});
          const auto layout = layout_of({2}, c.region);
          return Inputs{attention_weights(
              x[0], x[1], layout, layout,
              {.heads = 1, .d_k = 1, .d_v = 1, .prefix = {}, .bias = {}, .dropout = {}}, c)};
        }};
    expect_near(run_op(large, run).outputs[0], {1, 0, 0, 1}, 0.0, "weights");
  }
}

TEST(AttentionWeights, NameShapesThatDoNotFit) {
  Region region(shared_backend("reference"), 1 << 20);
  Context c{.region = region};
  const auto layout = layout_of({3}, region);
  const AttentionOptions options{
      .heads = 2, .d_k = 2, .d_v = 0, .prefix = {}, .bias = {}, .dropout = {}};
  const Tensor x = c.zeros(DType::f32, {3, 4});
  EXPECT_EQ(attention_weights(x, x, layout, layout, options, c).elements(), 18);
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              attention_weights(c.zeros(DType::f32, {3, 5}), x, layout, layout, options, c);
            }),
            "attention: q [3, 5], k [3, 4] and v [3, 4] do not fit 2 heads of d_k 2 and d_v 2");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { additive_attention_weights(x, x, x, layout, layout, options, c); }),
            "additive_attention: a vector of shape [3, 4] is not [2, 2]");
}

}  // namespace
}  // namespace yona::testing
