#include "yona/tensor/ops/attention.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/tensor/ops/softmax.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using Lengths = std::vector<std::int64_t>;

struct AttentionVariant {
  std::string name;
  Lengths queries, keys;
  std::int64_t heads = 2, d_k = 3, d_v = 4;
  Mask mask = Mask::none;
  Lengths prefix{};
  std::int64_t reach = -1;  // R of the bias; -1: none
  double dropout = 0.0;
  AttentionPattern pattern{};

  std::int64_t T_q() const { return total(queries); }
  std::int64_t T_k() const { return total(keys); }
  static std::int64_t total(const Lengths& lengths) {
    std::int64_t sum = 0;
    for (const std::int64_t length : lengths) {
      sum += length;
    }
    return sum;
  }
};

std::vector<AttentionVariant> attention_variants() {
  const Lengths few{3, 1, 5};
  return {
      {"none", few, few},
      {"causal", few, few, 2, 3, 4, Mask::causal},
      {"prefix", few, few, 2, 3, 4, Mask::prefix, {2, 0, 9}},
      {"cross", few, {2, 4, 1}},
      {"causal over longer memories", {2, 1, 3}, {4, 1, 7}, 2, 3, 4, Mask::causal},
      {"queries that see nothing", {4, 2}, {2, 2}, 1, 2, 2, Mask::causal},
      {"a sentence without keys", {2, 1}, {0, 3}, 2, 2, 2},
      {"a sentence without queries", {0, 2}, {3, 2}, 2, 2, 2},
      {"no sentence", {}, {}},
      {"one token", {1}, {1}, 1, 1, 1},
      {"bias", few, few, 2, 3, 4, Mask::none, {}, 2},
      {"bias, causal, reach beyond the sentence", few, few, 2, 3, 4, Mask::causal, {}, 6},
      {"bias of one column", few, few, 3, 2, 2, Mask::none, {}, 0},
      {"bias over longer memories", {2, 3}, {5, 3}, 2, 3, 3, Mask::causal, {}, 1},
      {"dropout", few, few, 2, 3, 4, Mask::none, {}, -1, 0.4},
      {"dropout, causal, bias", few, few, 2, 3, 4, Mask::causal, {}, 2, 0.4},
      {"dropout over more heads than a block decides", {3}, {4}, 11, 1, 2, Mask::none, {}, -1, 0.4},
      {"one head, wide", {3, 2}, {3, 2}, 1, 40, 17, Mask::causal},
      {"d_v above d_k", {4}, {4}, 2, 1, 5, Mask::causal}};
}

// Enough keys for several tiles of a kernel; too many for finite differences.
std::vector<AttentionVariant> long_attention_variants() {
  return {
      {"long", {130, 1, 70}, {130, 1, 70}, 2, 16, 8},
      {"long, causal", {130, 1, 70}, {130, 1, 70}, 2, 16, 16, Mask::causal},
      {"long, causal, bias and dropout", {130, 70}, {130, 70}, 2, 16, 16, Mask::causal, {}, 9, 0.3},
      {"long, prefix", {130, 70}, {130, 70}, 3, 8, 16, Mask::prefix, {100, 7}},
      {"long memories", {3, 70}, {200, 150}, 2, 32, 32, Mask::none, {}, -1, 0.3}};
}

AttentionPattern window_of(std::int64_t before, std::int64_t after, std::int64_t dilation = 1) {
  AttentionPattern pattern;
  pattern.before = before;
  pattern.after = after;
  pattern.dilation = dilation;
  return pattern;
}

AttentionPattern blocks_of(std::int64_t block, std::int64_t neighbours, std::int64_t globals,
                           std::int64_t randoms, bool earlier) {
  AttentionPattern pattern;
  pattern.block = block;
  pattern.neighbours = neighbours;
  pattern.global_blocks = globals;
  pattern.random_blocks = randoms;
  pattern.seed = 7;
  pattern.earlier = earlier;
  return pattern;
}

std::vector<AttentionVariant> pattern_variants() {
  const Lengths few{6, 1, 9};
  const Mask none = Mask::none;
  const Mask causal = Mask::causal;
  return {
      {"window", few, few, 2, 3, 4, none, {}, -1, 0.0, window_of(2, 1)},
      {"window of itself", few, few, 2, 3, 4, causal, {}, -1, 0.0, window_of(0, 0)},
      {"window, causal", few, few, 2, 3, 4, causal, {}, -1, 0.0, window_of(3, 0)},
      {"window, prefix", few, few, 2, 3, 4, Mask::prefix, {4, 0, 5}, -1, 0.0, window_of(3, 2)},
      {"window, bias and dropout", few, few, 2, 3, 4, causal, {}, 2, 0.4, window_of(4, 0)},
      {"window over a cache", {2, 1, 3}, {4, 1, 7}, 2, 3, 4, causal, {}, -1, 0.0, window_of(2, 0)},
      {"dilated", few, few, 2, 3, 4, none, {}, -1, 0.0, window_of(1, 1, 2)},
      {"dilated, causal, dropout", few, few, 2, 3, 4, causal, {}, -1, 0.4, window_of(2, 0, 3)},
      {"dilated over a cache",
       {2, 1, 3},
       {4, 1, 9},
       2,
       3,
       4,
       causal,
       {},
       -1,
       0.0,
       window_of(2, 0, 2)},
      {"blocks", few, few, 2, 3, 4, none, {}, -1, 0.0, blocks_of(4, 0, 0, 0, false)},
      {"blocks, causal, dropout",
       few,
       few,
       2,
       3,
       4,
       causal,
       {},
       -1,
       0.4,
       blocks_of(4, 0, 0, 0, false)},
      {"sparse", {9, 2}, {9, 2}, 2, 3, 4, none, {}, -1, 0.0, blocks_of(1, 1, 1, 1, false)},
      {"sparse, causal", {9, 2}, {9, 2}, 2, 3, 4, causal, {}, 2, 0.0, blocks_of(2, 1, 1, 1, true)},
      {"sparse over a cache",
       {3, 1},
       {9, 4},
       2,
       3,
       4,
       causal,
       {},
       -1,
       0.0,
       blocks_of(2, 0, 1, 2, true)}};
}

std::vector<AttentionVariant> long_pattern_variants() {
  const Lengths lengths{300, 1, 70};
  const Mask none = Mask::none;
  const Mask causal = Mask::causal;
  return {
      {"long window", lengths, lengths, 2, 16, 8, none, {}, -1, 0.0, window_of(40, 3)},
      {"long window, causal, dropout",
       lengths,
       lengths,
       2,
       16,
       16,
       causal,
       {},
       -1,
       0.3,
       window_of(99, 0)},
      {"long narrow window", lengths, lengths, 2, 16, 16, causal, {}, -1, 0.0, window_of(5, 0)},
      {"long window over a cache",
       {70, 3},
       {200, 150},
       2,
       16,
       16,
       causal,
       {},
       9,
       0.3,
       window_of(64, 0)},
      {"long dilated", lengths, lengths, 2, 16, 16, none, {}, -1, 0.3, window_of(20, 20, 3)},
      {"long blocks", lengths, lengths, 2, 16, 8, none, {}, -1, 0.0, blocks_of(50, 0, 0, 0, false)},
      {"long sparse",
       lengths,
       lengths,
       2,
       16,
       16,
       none,
       {},
       -1,
       0.3,
       blocks_of(16, 1, 1, 2, false)},
      {"long sparse, causal, bias",
       lengths,
       lengths,
       2,
       16,
       16,
       causal,
       {},
       9,
       0.0,
       blocks_of(33, 1, 1, 1, true)}};
}

AttentionOptions options_of(const AttentionVariant& variant, const Inputs& x, Context& c) {
  AttentionOptions options{.heads = variant.heads,
                           .d_k = variant.d_k,
                           .d_v = variant.d_v,
                           .scale = 0.6F,
                           .mask = variant.mask,
                           .prefix = {},
                           .bias = variant.reach >= 0 ? x[3] : Tensor(),
                           .dropout = c.dropout(variant.dropout, 2U << 12U),
                           .pattern = variant.pattern};
  if (variant.mask == Mask::prefix) {
    options.prefix = c.empty(DType::i64, {static_cast<std::int64_t>(variant.prefix.size())});
    options.prefix.upload(variant.prefix);
  }
  return options;
}

// The part of one sentence and head, for every sentence and head.
template <class Function>
void for_each_part(const AttentionVariant& variant, const Function& function) {
  std::int64_t q = 0;
  std::int64_t k = 0;
  for (std::size_t s = 0; s < variant.queries.size(); ++s) {
    for (std::int64_t head = 0; head < variant.heads; ++head) {
      function(s, head, q, k);
    }
    q += variant.queries[s];
    k += variant.keys[s];
  }
}

OpCase fused_attention(const AttentionVariant& variant) {
  const std::int64_t h = variant.heads;
  OpCase made{
      variant.name,
      {{{variant.T_q(), h * variant.d_k}},
       {{variant.T_k(), h * variant.d_k}},
       {{variant.T_k(), h * variant.d_v}}},
      [variant](const Inputs& x, Context& c) {
        const Tensor out =
            attention(x[0], x[1], x[2], layout_of(variant.queries, c.region),
                      layout_of(variant.keys, c.region), options_of(variant, x, c), c);
        Inputs parts;
        for_each_part(
            variant, [&](std::size_t s, std::int64_t head, std::int64_t q, std::int64_t /*k*/) {
              parts.push_back(
                  out.row_range(q, variant.queries[s]).columns(head * variant.d_v, variant.d_v));
            });
        return parts;
      }};
  if (variant.reach >= 0) {
    made.inputs.push_back({{h, 2 * variant.reach + 1}});
  }
  return made;
}

// Who sees whom, said again and otherwise than in the kernels.
bool pattern_sees(const AttentionPattern& pattern, std::int64_t i, std::int64_t j,
                  std::int64_t keys) {
  if (pattern.before >= 0) {
    for (std::int64_t step = -pattern.before; step <= pattern.after; ++step) {
      if (i + step * pattern.dilation == j) {
        return true;
      }
    }
    return false;
  }
  return pattern.block == 0 || pattern.lists(i / pattern.block, j / pattern.block,
                                             (keys + pattern.block - 1) / pattern.block);
}

bool sees(const AttentionVariant& variant, std::size_t s, std::int64_t i, std::int64_t j) {
  if (!pattern_sees(variant.pattern, i + variant.keys[s] - variant.queries[s], j,
                    variant.keys[s])) {
    return false;
  }
  switch (variant.mask) {
    case Mask::none:
      return true;
    case Mask::causal:
      return j - variant.keys[s] <= i - variant.queries[s];
    case Mask::prefix:
      return j < variant.prefix[s] || j - variant.keys[s] <= i - variant.queries[s];
  }
  return false;
}

struct Part {  // one sentence and head: the sizes of its score matrix
  std::size_t s;
  std::int64_t head, n, m;
};

Tensor masked(const AttentionVariant& variant, const Part& part, const Tensor& scores, Context& c) {
  std::vector<double> hidden;
  for (std::int64_t i = 0; i < part.n; ++i) {
    for (std::int64_t j = 0; j < part.m; ++j) {
      hidden.push_back(sees(variant, part.s, i, j) ? 0.0
                                                   : -std::numeric_limits<double>::infinity());
    }
  }
  return add(scores, tensor_of(hidden, {part.n, part.m}, scores.dtype(), c.region), c);
}

// bias[clipped distance] for every i and j, as a product with one-hot columns.
Tensor biased(const AttentionVariant& variant, const Part& part, const Tensor& scores,
              const Tensor& bias, Context& c) {
  const std::int64_t width = 2 * variant.reach + 1;
  std::vector<double> picks(static_cast<std::size_t>(width * part.n * part.m), 0.0);
  for (std::int64_t i = 0; i < part.n; ++i) {
    for (std::int64_t j = 0; j < part.m; ++j) {
      const std::int64_t distance = j - (i + part.m - part.n);
      const std::int64_t column =
          std::min(std::max(distance, -variant.reach), variant.reach) + variant.reach;
      picks[static_cast<std::size_t>(column * part.n * part.m + i * part.m + j)] = 1.0;
    }
  }
  const Tensor one_hot = tensor_of(picks, {width, part.n * part.m}, bias.dtype(), c.region);
  const Tensor row = matmul(bias.row_range(part.head, 1), one_hot, Transpose::no, c);
  return add(scores, row.reshape({part.n, part.m}), c);
}

std::vector<double> kept_weights(const AttentionVariant& variant, const Part& part,
                                 const Layout& queries, std::int64_t first_query, Context& c) {
  const Dropout dropout = c.dropout(variant.dropout, 2U << 12U);
  std::vector<double> factors;
  for (std::int64_t i = 0; i < part.n; ++i) {
    for (std::int64_t j = 0; j < part.m; ++j) {
      const std::uint64_t key = queries.row_keys_data()[first_query + i];
      const bool kept = !dropout || keeps_weight(dropout, key, j, part.head);
      factors.push_back(kept ? double{dropout.scale} : 0.0);
    }
  }
  return factors;
}

// softmax(scores) v of one part, the scores made by `score(q, k, head)`.
template <class Score>
OpCase composed(OpCase like, const AttentionVariant& variant, const Score& score) {
  like.op = [variant, score](const Inputs& x, Context& c) {
    const auto queries = layout_of(variant.queries, c.region);
    Inputs parts;
    for_each_part(variant, [&](std::size_t s, std::int64_t head, std::int64_t q, std::int64_t k) {
      const Part part{s, head, variant.queries[s], variant.keys[s]};
      const auto of_head = [head](const Tensor& tensor, std::int64_t first, std::int64_t rows,
                                  std::int64_t d) {
        return tensor.row_range(first, rows).columns(head * d, d);
      };
      const Tensor Q = of_head(x[0], q, part.n, variant.d_k);
      const Tensor K = of_head(x[1], k, part.m, variant.d_k);
      const Tensor V = of_head(x[2], k, part.m, variant.d_v);
      const Tensor scores = masked(variant, part, score(part, Q, K, x, c), c);  // [n, m]
      const Tensor p = multiply(softmax(scores, c), kept_weights(variant, part, *queries, q, c), c);
      parts.push_back(matmul(p, V, Transpose::no, c));  // [n, d_v]
    });
    return parts;
  };
  return like;
}

OpCase plain_attention(const AttentionVariant& variant) {
  return composed(
      fused_attention(variant), variant,
      [variant](const Part& part, const Tensor& Q, const Tensor& K, const Inputs& x, Context& c) {
        const Tensor scores = scale(matmul(Q, K, Transpose::yes, c), 0.6F, c);
        return variant.reach >= 0 ? biased(variant, part, scores, x[3], c) : scores;
      });
}

TEST(Attention, PassesEveryUseOfItsCases) {
  for (const AttentionVariant& variant : attention_variants()) {
    check_op(fused_attention(variant));
  }
}

TEST(Attention, EqualsMatmulSoftmaxMatmulOfEverySentenceAndHead) {
  for (const AttentionVariant& variant : attention_variants()) {
    expect_same(fused_attention(variant), plain_attention(variant));
  }
}

TEST(Attention, EqualsItsCompositionOverManyTiles) {
  for (const AttentionVariant& variant : long_attention_variants()) {
    expect_same(fused_attention(variant), plain_attention(variant));
    expect_backends_agree(fused_attention(variant));
  }
}

TEST(Attention, SeesWhatItsPatternSays) {
  for (const AttentionVariant& variant : pattern_variants()) {
    check_op(fused_attention(variant));
    expect_same(fused_attention(variant), plain_attention(variant));
  }
}

TEST(Attention, SeesWhatItsPatternSaysOverManyTiles) {
  for (const AttentionVariant& variant : long_pattern_variants()) {
    expect_same(fused_attention(variant), plain_attention(variant));
    expect_backends_agree(fused_attention(variant));
  }
}

TEST(Attention, RefusesPatternsThatItDoesNotHave) {
  const auto refusal = [](AttentionVariant variant) {
    return message_of<InvalidArgument>([&] { run_op(fused_attention(variant)); });
  };
  const Lengths few{3};
  EXPECT_THAT(refusal({"", few, few, 1, 2, 2, Mask::none, {}, 2, 0.0, window_of(2, 0, 2)}),
              ::testing::HasSubstr("a dilated window takes neither a bias nor the prefix mask"));
}

// ---- Q, K and V as parts of larger tensors -----------------------------------------------------

OpCase on_slices(const std::string& name, const std::vector<OpInput>& inputs,
                 const std::function<Inputs(const Inputs&)>& slices) {
  return {name, inputs, [slices](const Inputs& x, Context& c) {
            const Inputs qkv = slices(x);
            const auto layout = layout_of({3, 2}, c.region);
            return Inputs{attention(qkv[0], qkv[1], qkv[2], layout, layout,
                                    {.heads = 2,
                                     .d_k = 3,
                                     .d_v = 3,
                                     .scale = 0.5F,
                                     .mask = Mask::causal,
                                     .prefix = {},
                                     .bias = {},
                                     .dropout = {}},
                                    c)};
          }};
}

TEST(Attention, TakesSlicesOfOneProduct) {
  check_op(on_slices("three parts", {{{5, 18}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(0, 6), x[0].columns(6, 6), x[0].columns(12, 6)};
  }));
  check_op(on_slices("three parts in another order", {{{5, 18}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(12, 6), x[0].columns(0, 6), x[0].columns(6, 6)};
  }));
  check_op(on_slices("keys and values of one product", {{{5, 6}}, {{5, 12}}}, [](const Inputs& x) {
    return Inputs{x[0], x[1].columns(0, 6), x[1].columns(6, 6)};
  }));
  check_op(on_slices("parts that leave some out", {{{5, 23}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(1, 6), x[0].columns(9, 6), x[0].columns(15, 6)};
  }));
}

TEST(Attention, AddsUpGradientsOfPartsThatAreTheSame) {
  check_op(on_slices("one tensor three times", {{{5, 6}}}, [](const Inputs& x) {
    return Inputs{x[0], x[0], x[0]};
  }));
  check_op(on_slices("keys as values", {{{5, 6}}, {{5, 6}}}, [](const Inputs& x) {
    return Inputs{x[0], x[1], x[1]};
  }));
  check_op(on_slices("queries as values, a part unused", {{{5, 18}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(0, 6), x[0].columns(6, 6), x[0].columns(0, 6)};
  }));
  check_op(on_slices("queries that are the keys", {{{5, 12}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(0, 6), x[0].columns(0, 6), x[0].columns(6, 6)};
  }));
  check_op(on_slices("overlapping parts", {{{5, 18}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(0, 6), x[0].columns(3, 6), x[0].columns(7, 6)};
  }));
}

// ---- additive attention ------------------------------------------------------------------------

OpCase additive(const AttentionVariant& variant) {
  OpCase made = fused_attention(variant);
  made.inputs.push_back({{variant.heads, variant.d_k}});
  made.op = [variant](const Inputs& x, Context& c) {
    const Tensor out =
        additive_attention(x[0], x[1], x[2], x[3], layout_of(variant.queries, c.region),
                           layout_of(variant.keys, c.region), options_of(variant, x, c), c);
    Inputs parts;
    for_each_part(
        variant, [&](std::size_t s, std::int64_t head, std::int64_t q, std::int64_t /*k*/) {
          parts.push_back(
              out.row_range(q, variant.queries[s]).columns(head * variant.d_v, variant.d_v));
        });
    return parts;
  };
  return made;
}

// tanh(q_i + k_j) for all pairs by one-hot products, then a product with the vector.
Tensor additive_scores(const Part& part, const Tensor& Q, const Tensor& K, const Tensor& vector,
                       Context& c) {
  const std::int64_t pairs = part.n * part.m;
  std::vector<double> query_of(static_cast<std::size_t>(pairs * part.n), 0.0);
  std::vector<double> key_of(static_cast<std::size_t>(pairs * part.m), 0.0);
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    query_of[static_cast<std::size_t>(pair * part.n + pair / part.m)] = 1.0;
    key_of[static_cast<std::size_t>(pair * part.m + pair % part.m)] = 1.0;
  }
  const DType dtype = Q.dtype();
  const Tensor q =
      matmul(tensor_of(query_of, {pairs, part.n}, dtype, c.region), Q, Transpose::no, c);
  const Tensor k = matmul(tensor_of(key_of, {pairs, part.m}, dtype, c.region), K, Transpose::no, c);
  const Tensor t = tanh_of(add(q, k, c), c);  // [n·m, d_k]
  return matmul(t, vector.row_range(part.head, 1), Transpose::yes, c).reshape({part.n, part.m});
}

std::vector<AttentionVariant> variants_without_bias() {
  std::vector<AttentionVariant> some = attention_variants();
  std::erase_if(some, [](const AttentionVariant& variant) { return variant.reach >= 0; });
  return some;
}

TEST(AdditiveAttention, PassesEveryUseOfItsCases) {
  for (const AttentionVariant& variant : variants_without_bias()) {
    check_op(additive(variant));
  }
}

TEST(AdditiveAttention, EqualsItsComposition) {
  for (const AttentionVariant& variant : variants_without_bias()) {
    expect_same(additive(variant),
                composed(additive(variant), variant,
                         [](const Part& part, const Tensor& Q, const Tensor& K, const Inputs& x,
                            Context& c) { return additive_scores(part, Q, K, x[3], c); }));
  }
}

// ---- edges -------------------------------------------------------------------------------------

TEST(Attention, GivesZeroWhereNothingIsSeen) {
  for (const OpRun& run : {OpRun{}, OpRun{.backend = "cpu", .dtype = DType::f32}}) {
    const OpResult result = run_op(fused_attention(attention_variants()[5]), run);
    const std::vector<double>& first = result.outputs[0];  // four queries, two keys
    expect_near({first.begin(), first.begin() + 4}, {0, 0, 0, 0}, 0.0, "outputs");
    expect_near({result.gradients[0].begin(), result.gradients[0].begin() + 4}, {0, 0, 0, 0}, 0.0,
                "gradients");
  }
}

TEST(Attention, IsFiniteForLargeScores) {
  const OpCase large{
      "large", {{{2, 1}}, {{2, 1}}, {{2, 1}}}, [](const Inputs& x, Context& c) {
        set_values(x[0], {1000, -1000});
        set_values(x[1], {1000, -1000});
        set_values(x[2], {3, 5});
        const auto layout = layout_of({2}, c.region);
        return Inputs{attention(
            x[0], x[1], x[2], layout, layout,
            {.heads = 1, .d_k = 1, .d_v = 1, .prefix = {}, .bias = {}, .dropout = {}}, c)};
      }};
  for (const OpRun& run : {OpRun{}, OpRun{.backend = "cpu", .dtype = DType::f32}}) {
    const OpResult result = run_op(large, run);
    expect_near(result.outputs[0], {3, 5}, 1e-6, "out");
    expect_near(result.gradients[0], {0, 0}, 1e-6, "dq");
  }
}

class AttentionErrors : public ::testing::Test {
 protected:
  std::string message(std::int64_t q_rows, std::int64_t k_rows, std::int64_t columns,
                      const AttentionOptions& with, const Lengths& queries = {3},
                      const Lengths& keys = {3}) {
    return message_of<InvalidArgument>([&] {
      attention(c.zeros(DType::f32, {q_rows, columns}), c.zeros(DType::f32, {k_rows, columns}),
                c.zeros(DType::f32, {k_rows, columns}), layout_of(queries, region),
                layout_of(keys, region), with, c);
    });
  }

  Region region{shared_backend("reference"), 1 << 20};
  Tape tape;
  Context c{.region = region, .tape = &tape};
  AttentionOptions options{.heads = 2, .d_k = 2, .d_v = 2, .prefix = {}, .bias = {}, .dropout = {}};
};

TEST_F(AttentionErrors, NameShapesThatDoNotFit) {
  EXPECT_EQ(message(3, 3, 4, options), "");
  EXPECT_EQ(message(3, 3, 4, options, {3}, {2, 1}), "attention: queries of 1 sentences, keys of 2");
  EXPECT_EQ(message(2, 3, 4, options),
            "attention: q [2, 4], k [3, 4] and v [3, 4] do not fit 3 query and 3 key tokens");
  EXPECT_EQ(message(3, 4, 4, options),
            "attention: q [3, 4], k [4, 4] and v [4, 4] do not fit 3 query and 3 key tokens");
  EXPECT_EQ(message(3, 3, 5, options),
            "attention: q [3, 5], k [3, 5] and v [3, 5] do not fit 2 heads of d_k 2 and d_v 2");
}

TEST_F(AttentionErrors, NameBiasesAndPrefixesThatDoNotFit) {
  options.bias = c.zeros(DType::f32, {2, 4});
  EXPECT_EQ(message(3, 3, 4, options), "attention: a bias of shape [2, 4] is not [2, 2R+1]");
  options.bias = c.zeros(DType::f32, {3, 5});
  EXPECT_EQ(message(3, 3, 4, options), "attention: a bias of shape [3, 5] is not [2, 2R+1]");
  options.bias = {};
  options.mask = Mask::prefix;
  EXPECT_EQ(message(3, 3, 4, options),
            "attention: the prefix mask needs one length for each of 1 sentences");
  options.prefix = c.empty(DType::i64, {2});
  EXPECT_EQ(message(3, 3, 4, options),
            "attention: the prefix mask needs one length for each of 1 sentences");
}

TEST_F(AttentionErrors, AskForAllGradientsOrNone) {
  const Tensor x = c.zeros(DType::f32, {3, 4});
  const Tensor y = c.zeros(DType::f32, {3, 4});
  const Tensor vector = c.zeros(DType::f32, {2, 2});
  x.set_requires_gradient();
  const auto layout = layout_of({3}, region);
  EXPECT_EQ(message_of<InvalidArgument>([&] { attention(x, x, y, layout, layout, options, c); }),
            "attention: q, k and v must all take gradients, or none");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { additive_attention(x, x, x, vector, layout, layout, options, c); }),
            "additive_attention: q, k, v and the vector must all take gradients, or none");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { additive_attention(x, x, x, x, layout, layout, options, c); }),
            "additive_attention: a vector of shape [3, 4] is not [2, 2]");
}

}  // namespace
}  // namespace yona::testing
