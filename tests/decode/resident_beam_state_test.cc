// Beam state at the beginning and at the end; resident_decoder_test.cc tests the steps between.

#include "yona/decode/resident_beam_state.h"

#include <gtest/gtest.h>

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

struct StateCase {
  explicit StateCase(const DecodeOptions& options)
      : region(shared_backend("reference"), std::int64_t{1} << 24U),
        state((soil(region, 1 << 16), region), {.slots = 4, .nodes = 256, .lengths = 16}, options,
              9) {}

  // Takes candidates as (score, row, token), for two slots.
  void take(const std::vector<float>& scores, const std::vector<std::int32_t>& rows,
            const std::vector<std::int32_t>& tokens) {
    const auto k = static_cast<std::int64_t>(scores.size()) / 2;
    Context c{.region = region};
    TopK found{c.empty(DType::f32, Shape{2, k}), c.empty(DType::i32, Shape{2, k}),
               c.empty(DType::i32, Shape{2, k}), c.zeros(DType::f32, Shape{4})};
    found.scores.upload(scores);
    found.tokens.upload(tokens);
    found.rows.upload(rows);
    state.advance(found, 2, c);
  }

  Region region;
  ResidentBeamState state;
};

DecodeOptions two_beams() {
  DecodeOptions options;
  options.beam = 2;
  options.length_penalty = 0;
  return options;
}

TEST(ResidentBeamState, BeginWithOneBeamForEachSentence) {
  StateCase b(two_beams());
  b.state.begin(std::vector<ResidentSentence>{{5, 3, 4}}, 2);
  EXPECT_EQ(b.state.ids(2).to_vector<std::int32_t>(), (std::vector<std::int32_t>{9, 9, 9, 9}));
  EXPECT_EQ(b.state.tables(2).places.to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{0, -1, -1, -1}));
  EXPECT_EQ(b.state.tables(2).memory_first.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{5, 5, 0, 0}));
  EXPECT_EQ(b.state.tables(2).memory_counts.to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{3, 3, 0, 0}));
  EXPECT_EQ(b.state.top_k_options(2).k, 4);
  EXPECT_FALSE(b.state.top_k_options(2).bans);
}

TEST(ResidentBeamState, KeepBeamsAndEndWithHypotheses) {
  StateCase b(two_beams());
  b.state.begin(std::vector<ResidentSentence>{{0, 3, 4}, {3, 2, 1}}, 2);
  // The second sentence may have one token: its best candidate is cut there.
  b.take({-1, -2, -3, -4, -1, -2, -3, -4}, {0, 0, 0, 0, 2, 2, 2, 2}, {3, 4, 5, 6, 7, 8, 5, 4});
  EXPECT_EQ(b.state.ids(2).to_vector<std::int32_t>(), (std::vector<std::int32_t>{3, 4, 9, 9}));
  EXPECT_EQ(b.state.positions(2).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{1, 1, 1, 1}));
  EXPECT_EQ(b.state.sentences().slice(0, Shape{2}).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{0, -1}));
  // The second beam ends, and comes before anything the first could still become.
  b.take({-2.5F, -9, -9, -9, -9, -9, -9, -9}, {1, 0, 0, 0, 2, 2, 2, 2},
         {0, 5, 6, 7, -1, -1, -1, -1});
  EXPECT_EQ(b.state.sentences().slice(0, Shape{1}).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{-1}));
  const auto results = b.state.results(2);
  ASSERT_EQ(results.size(), 2U);
  ASSERT_EQ(results[0].size(), 1U);
  EXPECT_EQ(results[0][0].ids, (Ids{4, 0}));
  EXPECT_EQ(results[0][0].token_scores, (std::vector<float>{-2, -0.5F}));
  EXPECT_DOUBLE_EQ(results[0][0].score, -2.5);
  EXPECT_EQ(results[1][0].ids, (Ids{7}));
}

TEST(ResidentBeamState, MoveSentencesTogether) {
  StateCase b(two_beams());
  b.state.begin(std::vector<ResidentSentence>{{0, 3, 1}, {3, 2, 4}}, 2);
  b.take({-1, -2, -3, -4, -1, -2, -3, -4}, {0, 0, 0, 0, 2, 2, 2, 2}, {3, 4, 5, 6, 7, 8, 5, 4});
  Context c{.region = b.region};
  b.state.move({1}, c);
  EXPECT_EQ(b.state.sentences().slice(0, Shape{1}).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{1}));
  EXPECT_EQ(b.state.ids(1).to_vector<std::int32_t>(), (std::vector<std::int32_t>{7, 8}));
  EXPECT_EQ(b.state.tables(1).places.to_vector<std::int32_t>(), (std::vector<std::int32_t>{6, 7}));
  EXPECT_EQ(b.state.tables(1).counts.to_vector<std::int32_t>(), (std::vector<std::int32_t>{1, 1}));
  EXPECT_EQ(b.state.tables(1).memory_first.to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(b.state.tables(1).table.row_range(0, 1).columns(0, 1).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{2}));
}

TEST(ResidentBeamState, BanTheEndUntilTheShortestLength) {
  DecodeOptions options = two_beams();
  options.min_length = 2;
  StateCase b(options);
  b.state.begin(std::vector<ResidentSentence>{{0, 3, 4}, {3, 2, 4}}, 2);
  const auto offsets = [&] {
    return b.state.top_k_options(2).ban_offsets.to_vector<std::int64_t>();
  };
  EXPECT_EQ(offsets(), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  for (int step = 1; step <= 2; ++step) {
    b.take({-1, -2, -3, -4, -1, -2, -3, -4}, {0, 0, 0, 0, 2, 2, 2, 2}, {3, 4, 5, 6, 7, 8, 5, 4});
    EXPECT_EQ(offsets().back(), step < 2 ? 4 : 0);
  }
}

}  // namespace
}  // namespace yona::testing
