#include "yona/nn/attention/reformer.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/nn/attention/multi_head.h"
#include "yona/tensor/attention_cache.h"
#include "yona/tensor/sequence_cache.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

constexpr HeadShape kReformerHeads{.heads = 2, .d_k = 4, .d_v = 3};
const AttentionSpec kReformerSpec{.kind = AttentionKind::reformer,
                                  .sizes = {.hashes = 2, .buckets = 4, .chunk = 2}};

// What it gives is its weights' share of the values: over normalised queries as keys, in which a
// token has no weight of its own unless it sees nothing else.
TEST(ReformerAttention, AttendsToNormalisedQueriesOfItsBuckets) {
  const auto attend = make_attention(kReformerSpec, kReformerHeads);
  BoundModule bound(*attend);
  for (const Mask mask : {Mask::none, Mask::causal}) {
    const Ragged Q = bound.input({9}, 8);
    const Ragged V = bound.input({9}, 6, 10);
    const std::vector<double> q = values_of(Q.values);
    const std::vector<double> v = values_of(V.values);
    const std::vector<double> weights = values_of(attend->weights(Q, Q, mask, bound.c));
    const std::vector<double> out = values_of((*attend)(Q, Q, V, mask, bound.c).values);
    int seen = 0;
    for (std::size_t head = 0; head < 2; ++head) {
      for (std::size_t i = 0; i < 9; ++i) {
        std::vector<double> expected(3, 0.0);
        std::vector<double> scores(9, 0.0);
        double sum = 0;
        for (std::size_t j = 0; j < 9; ++j) {
          if (weights[(head * 9 + i) * 9 + j] == 0.0) {
            continue;
          }
          ++seen;
          EXPECT_TRUE(mask == Mask::none || j <= i);
          double dot = 0;
          double squares = 0;
          for (std::size_t c = head * 4; c < head * 4 + 4; ++c) {
            dot += q[i * 8 + c] * q[j * 8 + c];
            squares += q[j * 8 + c] * q[j * 8 + c];
          }
          sum += scores[j] = std::exp(0.5 * dot / std::sqrt(squares));
        }
        for (std::size_t j = 0; j < 9; ++j) {
          EXPECT_NEAR(weights[(head * 9 + i) * 9 + j], scores[j] / sum, 1e-7);
          for (std::size_t c = 0; c < 3; ++c) {
            expected[c] += scores[j] / sum * v[j * 6 + head * 3 + c];
          }
        }
        for (std::size_t c = 0; c < 3; ++c) {
          EXPECT_NEAR(out[i * 6 + head * 3 + c], expected[c], 1e-7);
        }
      }
    }
    EXPECT_GT(seen, 18) << "more than each token itself";
    EXPECT_LT(seen, 2 * 9 * 9);
  }
}

// The first tokens of a text have the same outputs whatever follows.
TEST(ReformerAttention, SeesNothingOfLaterTokensUnderACausalMask) {
  const auto attend = make_attention(kReformerSpec, kReformerHeads);
  BoundModule bound(*attend);
  const Ragged Q = bound.input({12}, 8);
  const Ragged V = bound.input({12}, 6, 10);
  const std::vector<double> whole = values_of((*attend)(Q, Q, V, Mask::causal, bound.c).values);
  for (const std::int64_t n : {1, 5, 11}) {
    const auto layout = layout_of({n}, bound.region);
    const Ragged first{Q.values.row_range(0, n), layout};
    const Ragged values{V.values.row_range(0, n), layout};
    const std::vector<double> part =
        values_of((*attend)(first, first, values, Mask::causal, bound.c).values);
    EXPECT_EQ(part, std::vector<double>(whole.begin(),
                                        whole.begin() + static_cast<std::ptrdiff_t>(part.size())));
  }
}

// A layer over a text of ten tokens, in one pass and with a cache.
struct CachedReformer {
  CachedReformer() : layer(8, kReformerHeads, kReformerSpec), bound(layer) {
    x = bound.input({10}, 8);
    whole = values_of(layer(x, Mask::causal, bound.c).formed(bound.c).values);
  }
  // Tokens [first, first + count) in a pass with the cache that the context has.
  void expect_whole(std::int64_t first, std::int64_t count,
                    const std::shared_ptr<const Layout>& layout, LayerCache& cache) {
    Context c = bound.c;
    c.cache = &cache;
    const Ragged part{x.values.row_range(first, count), layout};
    const std::vector<double> states = values_of(layer(part, Mask::causal, c).formed(c).values);
    expect_near(states,
                std::vector<double>(whole.begin() + first * 8, whole.begin() + (first + count) * 8),
                kExactF64, "tokens from " + std::to_string(first));
  }

  MultiHeadAttention layer;
  BoundModule bound;
  Ragged x;
  std::vector<double> whole;
};

TEST(ReformerAttention, GivesInStepsWhatTheWholeTextGives) {
  CachedReformer text;
  AttentionCache cache(text.bound.region, {.rows = 2, .steps = 10});
  for (std::int32_t t = 0; t < 10; ++t) {
    const std::vector<std::int32_t> first{0};
    cache.begin_step(first, first);
    text.expect_whole(t, 1, make_step_layout(1, t, text.bound.region), cache);
  }
}

// A prompt, another that goes on from it, and tokens one by one.
TEST(ReformerAttention, GivesInPromptsAndStepsWhatTheWholeTextGives) {
  CachedReformer text;
  SequenceCache cache(text.bound.region, 16);
  ASSERT_EQ(cache.allocate(3), 0);  // other rows before
  const std::int64_t first = cache.allocate(12).value();
  std::int64_t cached = 0;
  for (const std::int64_t fresh : {4, 3, 1, 1, 1}) {
    const std::vector<SequencePart> parts{{.first = first, .cached = cached, .fresh = fresh}};
    cache.begin_step(parts);
    text.expect_whole(cached, fresh, cache.layout(), cache);
    cached += fresh;
  }
}

TEST(ReformerAttention, DrawsItsRotationsFromTheLayersName) {
  struct Pair : Module {
    explicit Pair(const AttentionSpec& spec)
        : first(8, kReformerHeads, spec), second(8, kReformerHeads, spec) {
      add("first", first);
      add("second", second);
    }
    MultiHeadAttention first, second;
  };
  const auto rotations = [] {
    Pair pair(kReformerSpec);
    const BoundModule bound(pair);
    std::vector<std::vector<double>> constants;
    pair.visit_constants(
        [&](const Constant& constant) { constants.push_back(values_of(constant.value)); });
    return constants;
  };
  const auto drawn = rotations();
  ASSERT_EQ(drawn.size(), 4U);  // and the unit of each
  EXPECT_NE(drawn[0], drawn[2]);
  EXPECT_EQ(drawn, rotations());
}

TEST(ReformerAttention, HasNoWeightsForKeys) {
  MultiHeadAttention layer(8, kReformerHeads, kReformerSpec);
  const BoundModule bound(layer);
  EXPECT_NE(bound.parameters.find("query.weight"), nullptr);
  EXPECT_EQ(bound.parameters.find("key.weight"), nullptr);
  EXPECT_EQ(bound.parameters.find("key.bias"), nullptr);
}

TEST(ReformerAttention, RefusesWhatItHasNoFormFor) {
  const auto attend = make_attention(kReformerSpec, kReformerHeads);
  BoundModule bound(*attend);
  const Ragged Q = bound.input({5}, 8);
  const Ragged V = bound.input({5}, 6, 10);
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { (*attend)(Q, Q, V, Sight(Mask::none, Q.values), bound.c); }),
              ::testing::HasSubstr("reformer takes neither relative positions nor a prefix"));
  AttentionSpec dropped = kReformerSpec;
  dropped.dropout = 0.1;
  EXPECT_THAT(message_of<InvalidArgument>([&] { make_attention(dropped, kReformerHeads); }),
              ::testing::HasSubstr("model.attention_dropout: the attention reformer"));
  const HeadShape grouped{.heads = 2, .d_k = 4, .d_v = 3, .kv_heads = 1};
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { const MultiHeadAttention l(8, grouped, kReformerSpec); }),
      ::testing::HasSubstr("the queries of reformer are its keys"));
}

}  // namespace
}  // namespace yona::testing
