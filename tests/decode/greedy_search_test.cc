#include <gtest/gtest.h>

#include "tests/decode/search_tree.h"

namespace yona::testing {
namespace {

const SearchTree kGreedyTree{{{{}, {0.1, 0.6, 0.3}}, {{1}, {0.2, 0.3, 0.5}}}, {0.4, 0.35, 0.25}};

SearchRun greedy(BeamMode mode, std::int64_t max_length) {
  DecodeOptions options = DecodeOptions::for_mode(mode);
  options.beam = 1;
  options.min_length = 0;
  options.suppress_unknown = false;
  return run_search(kGreedyTree, options, max_length);
}

TEST(GreedySearch, TakesTheBestTokenUntilTheEnd) {
  const SearchRun run = greedy(BeamMode::paper, 20);
  EXPECT_EQ(run.steps, 3);
  EXPECT_EQ(run.results[0].ids, (Ids{1, 2, 0}));
  EXPECT_NEAR(run.results[0].score, std::log(0.12) / std::pow(8.0 / 6, 0.6), 1e-6);
}

TEST(GreedySearch, ClosesAtTheLimitAsTheModeDoes) {
  EXPECT_EQ(greedy(BeamMode::paper, 2).results[0].ids, (Ids{1, 2}));
  EXPECT_EQ(greedy(BeamMode::marian, 2).results[0].ids, (Ids{1, 2}));
  const SearchRun free_end = greedy(BeamMode::huggingface, 2);
  EXPECT_EQ(free_end.results[0].ids, (Ids{1, 0}));
  EXPECT_NEAR(free_end.results[0].log_probability, std::log(0.6), 1e-6);
  const SearchRun end = greedy(BeamMode::fairseq, 2);
  EXPECT_EQ(end.results[0].ids, (Ids{1, 0}));
  EXPECT_NEAR(end.results[0].log_probability, std::log(0.12), 1e-6);
}

}  // namespace
}  // namespace yona::testing
