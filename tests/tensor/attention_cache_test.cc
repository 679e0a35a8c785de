// A step with a cache must give what the whole sentence gives at its last token: for every variant
// of the model, with beams that split, swap and leave.

#include "yona/tensor/attention_cache.h"

#include <gtest/gtest.h>

#include "yona/base/enum_names.h"

#include "tests/harness/compare.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

// Rows of a step: what was said so far, beginning with <pad>, and where it came from.
struct Row {
  std::int32_t sentence;
  std::int32_t parent;
  std::vector<std::int32_t> tokens;
};

using Steps = std::vector<std::vector<Row>>;

// Two sentences: the first splits in two, the second in three; beams swap; the first sentence
// leaves; one beam of the second is left alone.
Steps steps_of_two_sentences() {
  return {{{0, 0, {10}}, {1, 0, {10}}},
          {{0, 0, {10, 3}}, {0, 0, {10, 4}}, {1, 1, {10, 5}}, {1, 1, {10, 6}}, {1, 1, {10, 7}}},
          {{0, 1, {10, 4, 1}},
           {0, 0, {10, 3, 2}},
           {1, 4, {10, 7, 8}},
           {1, 2, {10, 5, 8}},
           {1, 2, {10, 5, 9}}},
          {{1, 4, {10, 5, 9, 1}}, {1, 2, {10, 7, 8, 1}}, {1, 2, {10, 7, 8, 2}}},
          {{1, 1, {10, 7, 8, 1, 2}}}};
}

std::vector<double> last_row(const Ragged& states) {
  return values_of(states.values.row_range(states.tokens() - 1, 1));
}

// The state of the last token, from the whole prefix.
std::vector<double> from_whole(ToyModel& toy, const ToySentence& source,
                               const std::vector<std::int32_t>& tokens) {
  Context c{.region = toy.region};
  return last_row(toy.decode({{source.id, source.source, tokens}}, c));
}

void expect_cache_agrees(const Seq2SeqConfig& config, std::string_view backend,
                         std::string_view what) {
  ToyModel toy(config, backend);
  const std::vector<ToySentence> sentences = toy_sentences({{5, 1}, {3, 1}});
  Context encoding{.region = toy.region};
  const Ragged memory = toy.encode(sentences, encoding);
  AttentionCache cache(toy.region, {.rows = 5, .steps = 5});
  Context c{.region = toy.region, .cache = &cache};
  std::int64_t position = 0;
  for (const std::vector<Row>& rows : steps_of_two_sentences()) {
    std::vector<std::int32_t> ids, parents, of;
    for (const Row& row : rows) {
      ids.push_back(row.tokens.back());
      parents.push_back(row.parent);
      of.push_back(row.sentence);
    }
    cache.begin_step(parents, of);
    EXPECT_EQ(cache.step(), position);
    const auto layout =
        make_step_layout(static_cast<std::int64_t>(rows.size()), position++, toy.region);
    const Ragged states = toy.model.decode({ids_of(ids, toy.region), layout}, memory, c);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const auto sentence = static_cast<std::size_t>(rows[r].sentence);
      expect_near(values_of(states.values.row_range(static_cast<std::int64_t>(r), 1)),
                  from_whole(toy, sentences[sentence], rows[r].tokens), kBackendF32, what);
    }
  }
}

TEST(AttentionCacheTest, GivesWhatTheWholePrefixGives) {
  for (const std::string_view backend : {"reference", "cpu"}) {
    TransformerConfig config = toy_config();
    expect_cache_agrees(config, backend, "the paper's");
    config.norm = NormPosition::pre;
    config.activation = FeedForwardActivation::gelu;
    expect_cache_agrees(config, backend, "pre-norm");
    config = toy_config();
    config.attention = AttentionKind::unscaled;
    expect_cache_agrees(config, backend, "unscaled");
    config.attention = AttentionKind::additive;
    expect_cache_agrees(config, backend, "additive");
    config = toy_config();
    config.positions = PositionKind::learned;
    expect_cache_agrees(config, backend, "learned positions");
    config.positions = PositionKind::none;
    expect_cache_agrees(config, backend, "no positions");
    config.positions = PositionKind::rotary;
    expect_cache_agrees(config, backend, "rotary positions");
    for (const AttentionKind kind :
         {AttentionKind::window, AttentionKind::dilated, AttentionKind::blocks,
          AttentionKind::sparse, AttentionKind::reformer}) {
      config = toy_config();
      config.attention = kind;
      const bool has_window = kind == AttentionKind::window || kind == AttentionKind::dilated;
      config.attention_sizes = {.window = has_window ? 2 : 0,
                                .dilation = 2,
                                .block = 2,
                                .global_blocks = 1,
                                .random_blocks = 1,
                                .hashes = 2,
                                .buckets = 4,
                                .chunk = 2};
      expect_cache_agrees(config, backend, enum_name(kind));
    }
    config = toy_config();
    config.d_k = 3;
    config.d_v = 5;
    expect_cache_agrees(config, backend, "d_k and d_v of their own");
    config = toy_config();
    config.source_vocabulary = 17;
    config.tying = Tying::none;
    expect_cache_agrees(config, backend, "separate vocabularies");
  }
}

TEST(AttentionCacheTest, KeepsTheStatesOfArchitecturesThatHaveThem) {
  for (const std::string_view backend : {"reference", "cpu"}) {
    for (const Seq2SeqConfig& config : other_toy_configs()) {
      expect_cache_agrees(config, backend, toy_name(config));
    }
  }
}

TEST(AttentionCacheTest, RefusesStatesOfOtherRowsAndLayersThatJoinLate) {
  Region region(shared_backend("reference"), std::int64_t{1} << 20U);
  Context c{.region = region};
  AttentionCache cache(region, {.rows = 2, .steps = 2});
  const std::vector<std::int32_t> zero{0};
  const auto make = [&] { return c.zeros(DType::f32, Shape{1, 3}); };
  cache.begin_step({}, zero);
  cache.state(make, c);
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              cache.keep(c.zeros(DType::f32, Shape{2, 3}));
            }),
            "attention cache: state [2, 3] of a step with 1 rows");
  cache.keep(make());
  cache.begin_step(zero, zero);
  cache.state(make, c);
  EXPECT_EQ(message_of<InvalidArgument>([&] { cache.state(make, c); }),
            "attention cache: a layer joins at step 2");
}

TEST(AttentionCacheTest, RefusesRowsAndStepsItHasNoRoomFor) {
  Region region(shared_backend("reference"), std::int64_t{1} << 20U);
  AttentionCache cache(region, {.rows = 2, .steps = 2});
  const std::vector<std::int32_t> none;
  const std::vector<std::int32_t> zero{0};
  const std::vector<std::int32_t> two{0, 0};
  const std::vector<std::int32_t> three{0, 0, 0};
  EXPECT_EQ(message_of<InvalidArgument>([&] { cache.begin_step(none, three); }),
            "attention cache: 3 rows of step 1 do not fit 2 rows and 2 steps");
  cache.begin_step(none, zero);
  EXPECT_EQ(message_of<InvalidArgument>([&] { cache.begin_step(zero, two); }),
            "attention cache: 1 parents of 2 rows");
  const std::vector<std::int32_t> one{1};
  EXPECT_EQ(message_of<InvalidArgument>([&] { cache.begin_step(one, zero); }),
            "attention cache: a row descends from none of the 1 rows of the step before");
  cache.begin_step(two, two);
  EXPECT_EQ(message_of<InvalidArgument>([&] { cache.begin_step(two, two); }),
            "attention cache: 2 rows of step 3 do not fit 2 rows and 2 steps");
}

}  // namespace
}  // namespace yona::testing
