#include "yona/decode/length_penalty.h"

#include <cmath>

#include <gtest/gtest.h>

namespace yona {
namespace {

double score(BeamMode mode, double alpha, const OutputLength& length, double word_penalty = 0) {
  DecodeOptions options;
  options.mode = mode;
  options.length_penalty = alpha;
  options.word_penalty = word_penalty;
  return length_normalised(options, -6.0, length);
}

TEST(LengthPenalty, FollowsEachProgramsRule) {
  const OutputLength seven{.tokens = 7};
  EXPECT_DOUBLE_EQ(score(BeamMode::paper, 0.6, seven), -6.0 / std::pow(2.0, 0.6));
  EXPECT_DOUBLE_EQ(score(BeamMode::huggingface, 2.0, seven), -6.0 / 49);
  EXPECT_DOUBLE_EQ(score(BeamMode::huggingface, 1.0, {.tokens = 7, .prefix = 3}), -6.0 / 4);
  EXPECT_DOUBLE_EQ(score(BeamMode::ctranslate2, 1.0, seven), -6.0 / 7);
  EXPECT_DOUBLE_EQ(score(BeamMode::ctranslate2, 1.0, {.tokens = 7, .prefix = 3}), -6.0 / 7);
  EXPECT_DOUBLE_EQ(score(BeamMode::marian, 0.5, seven, 0.25), (-6.0 - 1.75) / std::sqrt(7.0));
  EXPECT_DOUBLE_EQ(score(BeamMode::fairseq, 1.0, {.tokens = 7, .prefix = 3}), -6.0 / 7);
}

TEST(LengthPenalty, OfZeroLeavesTheSum) {
  for (const BeamMode mode : {BeamMode::paper, BeamMode::huggingface, BeamMode::ctranslate2,
                              BeamMode::marian, BeamMode::fairseq}) {
    EXPECT_EQ(score(mode, 0.0, {.tokens = 9}), -6.0);
  }
}

TEST(LengthPenalty, CountsAPrefixWhereTheProgramDoes) {
  EXPECT_TRUE(prefix_counts(BeamMode::paper));
  EXPECT_TRUE(prefix_counts(BeamMode::fairseq));
  EXPECT_FALSE(prefix_counts(BeamMode::huggingface));
  EXPECT_FALSE(prefix_counts(BeamMode::ctranslate2));
}

}  // namespace
}  // namespace yona
