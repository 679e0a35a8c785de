#include "yona/decode/search_options.h"

#include <gmock/gmock.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class SearchOptions : public ::testing::Test {
 protected:
  SearchOptions() {
    write_json(folder_ / "generation_config.json",
               {{"num_beams", 5}, {"length_penalty", 2.0}, {"forced_bos_token_id", 7}});
    info_.family = "bart";
    info_.config.target_vocabulary = 100;
  }
  DecodeOptions of(const TranslateOptions& asked) const {
    return search_options(folder_.path(), info_, asked);
  }

  TempDir folder_;
  ModelInfo info_;
};

TEST_F(SearchOptions, AreTheFoldersWhereNothingIsAskedFor) {
  const DecodeOptions options = of({});
  EXPECT_EQ(options.mode, BeamMode::huggingface);
  EXPECT_EQ(options.beam, 5);
  EXPECT_EQ(options.length_penalty, 2.0);
  EXPECT_EQ(options.first_id, 7);
  EXPECT_EQ(options.n_best, 1);
  EXPECT_FALSE(options.sampling.on);
}

TEST_F(SearchOptions, AreThoseAskedForWhereTheyAre) {
  const std::atomic<bool> stop{false};
  const DecodeOptions options = of({.beam = 6,
                                    .n_best = 3,
                                    .length_penalty = 0.5,
                                    .min_length = 2,
                                    .max_length = 9,
                                    .no_repeat_ngram = 4,
                                    .scores = false,
                                    .alignments = true,
                                    .alignment_layer = 2,
                                    .stop = &stop});
  EXPECT_EQ(options.mode, BeamMode::huggingface);
  EXPECT_EQ(options.beam, 6);
  EXPECT_EQ(options.n_best, 3);
  EXPECT_EQ(options.length_penalty, 0.5);
  EXPECT_EQ(options.min_length, 2);
  EXPECT_EQ(options.limit, (LengthLimit{.factor = 0, .extra = 9}));
  EXPECT_EQ(options.no_repeat_ngram, 4);
  EXPECT_FALSE(options.scores);
  EXPECT_TRUE(options.alignments);
  EXPECT_EQ(options.alignment_layer, 2);
  EXPECT_EQ(options.stop, &stop);
  EXPECT_EQ(options.first_id, 7);
}

TEST_F(SearchOptions, OfAnotherModeKeepTheFoldersTokens) {
  const DecodeOptions options = of({.beam_mode = "fairseq"});
  EXPECT_EQ(options.mode, BeamMode::fairseq);
  EXPECT_EQ(options.length_penalty, 1.0);
  EXPECT_EQ(options.first_id, 7);
}

TEST_F(SearchOptions, SampleWhenAsked) {
  const DecodeOptions options =
      of({.n_best = 9,
          .sampling = Sampling{.temperature = 0.5, .top_k = 3, .top_p = 0.75},
          .seed = 11});
  EXPECT_TRUE(options.sampling.on);
  EXPECT_EQ(options.sampling.temperature, 0.5);
  EXPECT_EQ(options.sampling.top_k, 3);
  EXPECT_EQ(options.sampling.top_p, 0.75);
  EXPECT_EQ(options.sampling.seed, 11U);
}

TEST_F(SearchOptions, AreCheckedUnlessTheCallerDoes) {
  const TranslateOptions asked{.beam = 2, .n_best = 3};
  EXPECT_THAT(message_of<InvalidArgument>([&] { of(asked); }), HasSubstr("n-best: 3"));
  EXPECT_EQ(with_asked(DecodeOptions{}, asked).n_best, 3);
  EXPECT_THAT(message_of<InvalidArgument>([&] { of({.beam_mode = "moses"}); }),
              HasSubstr("'moses' is unknown"));
}

}  // namespace
}  // namespace yona::testing
