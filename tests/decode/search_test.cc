// What every search has in common: results are what was put in, and the ends are kept to.

#include "yona/decode/search.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/decode/search_tree.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

DecodeOptions options_of(const std::string& mode, std::int64_t beam) {
  DecodeOptions options = DecodeOptions::for_mode(beam_mode(mode));
  options.beam = options.n_best = beam;
  options.min_length = 0;
  options.suppress_unknown = false;
  return options;
}

TEST(Search, EndsAtOnceWhenEverythingEnds) {
  const SearchTree tree{{}, {1.0, 0.0, 0.0}};
  for (const std::string& mode : beam_mode_names()) {
    for (const std::int64_t beam : {1, 4}) {
      const SearchRun run = run_search(tree, options_of(mode, beam), 10);
      EXPECT_EQ(run.steps, 1) << mode;
      ASSERT_EQ(run.results.size(), 1U) << mode;
      EXPECT_EQ(run.results[0].ids, (Ids{0})) << mode;
      EXPECT_EQ(run.results[0].log_probability, 0.0) << mode;
    }
  }
}

TEST(Search, StopsAtTheMaximumLengthWhenNothingEnds) {
  const SearchTree tree{{}, {0.0, 0.75, 0.25}};
  for (const std::string& mode : beam_mode_names()) {
    DecodeOptions options = options_of(mode, 2);
    options.force_end = false;
    const SearchRun run = run_search(tree, options, 3);
    EXPECT_EQ(run.steps, mode == "fairseq" ? 3 : 3) << mode;
    ASSERT_FALSE(run.results.empty()) << mode;
    if (mode != "fairseq") {  // there </s> must come, and cannot
      EXPECT_EQ(run.results[0].ids, (Ids{1, 1, 1})) << mode;
    }
  }
}

TEST(Search, GivesBackTokensWithTheirLogProbabilities) {
  const SearchTree tree{{{{}, {0.1, 0.6, 0.3}}, {{1}, {0.2, 0.3, 0.5}}, {{1, 2}, {0.9, 0.1, 0}}},
                        {0.5, 0.25, 0.25}};
  for (const std::string& mode : beam_mode_names()) {
    const SearchRun run = run_search(tree, options_of(mode, 1), 9);
    ASSERT_EQ(run.results.size(), 1U) << mode;
    EXPECT_EQ(run.results[0].ids, (Ids{1, 2, 0})) << mode;
    ASSERT_EQ(run.results[0].token_scores.size(), 3U) << mode;
    EXPECT_NEAR(run.results[0].token_scores[0], std::log(0.6), 1e-6) << mode;
    EXPECT_NEAR(run.results[0].token_scores[1], std::log(0.5), 1e-6) << mode;
    EXPECT_NEAR(run.results[0].token_scores[2], std::log(0.9), 1e-6) << mode;
    EXPECT_NEAR(run.results[0].log_probability, std::log(0.27), 1e-6) << mode;
  }
}

TEST(Search, TakesWhatThereIsWhenNothingMayComeNext) {
  for (const std::string& mode : beam_mode_names()) {
    const DecodeOptions options = options_of(mode, 2);
    const auto search = make_search(options, {.max_length = 9, .end = 0});
    const std::vector<Candidate> first{{-1.0F, 0, 5}, {-2.0F, 0, 6}};
    ASSERT_TRUE(search->advance(std::span(first).first(2))) << mode;
    EXPECT_FALSE(search->advance({})) << mode;
    EXPECT_EQ(search->results()[0].ids, (Ids{5})) << mode;
  }
}

TEST(Search, RefusesALengthOfNothing) {
  EXPECT_EQ(message_of<InvalidArgument>([] { make_search({}, {.max_length = 0}); }),
            "search: a maximum length of 0 leaves nothing to search");
}

}  // namespace
}  // namespace yona::testing
