#include "yona/decode/generation_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ModelInfo foreign() {
  ModelInfo info;
  info.family = "bart";
  info.config.target_vocabulary = 100;
  info.config.departures.start_id = 2;
  return info;
}

DecodeOptions options_for(const Json& generation) {
  const TempDir folder;
  write_json(folder / "generation_config.json", generation);
  return folder_options(folder.path(), foreign());
}

TEST(GenerationConfig, IsHuggingFacesWayWithTheFoldersValues) {
  const DecodeOptions options = options_for({{"num_beams", 5},
                                             {"length_penalty", 2.0},
                                             {"max_length", 142},
                                             {"min_length", 56},
                                             {"no_repeat_ngram_size", 3},
                                             {"early_stopping", true},
                                             {"forced_bos_token_id", 0},
                                             {"forced_eos_token_id", 2},
                                             {"decoder_start_token_id", 7},
                                             {"bad_words_ids", Json::parse("[[99], [3, 4]]")},
                                             {"suppress_tokens", Json::parse("[5]")},
                                             {"renormalize_logits", true}});
  EXPECT_EQ(options.mode, BeamMode::huggingface);
  EXPECT_EQ(options.beam, 5);
  EXPECT_EQ(options.length_penalty, 2.0);
  EXPECT_EQ(options.limit.extra, 141);  // without the first input
  EXPECT_EQ(options.min_length, 55);
  EXPECT_EQ(options.no_repeat_ngram, 3);
  EXPECT_EQ(options.early_stopping, EarlyStopping::yes);
  EXPECT_EQ(options.first_id, 0);
  EXPECT_EQ(options.start_id, 7);
  EXPECT_TRUE(options.force_end);
  EXPECT_TRUE(options.renormalise);
  EXPECT_THAT(options.banned, ElementsAre(99, 5));
}

TEST(GenerationConfig, IsGreedyWhereItSaysNothing) {
  const DecodeOptions options = options_for(Json::object());
  EXPECT_EQ(options.beam, 1);
  EXPECT_EQ(options.first_id, -1);
  EXPECT_FALSE(options.force_end);
  EXPECT_EQ(options_for({{"early_stopping", "never"}}).early_stopping, EarlyStopping::never);
  EXPECT_EQ(options_for({{"max_new_tokens", 30}, {"max_length", 20}}).limit.extra, 30);
}

TEST(GenerationConfig, AddsTwentyTokensWhereNoLengthIsNamed) {
  EXPECT_EQ(options_for(Json::object()).limit, (LengthLimit{.factor = 0, .extra = 20}));
  const TempDir folder;
  write_json(folder / "generation_config.json", Json::object());
  ModelInfo info = foreign();
  info.config.max_positions = 16;  // the first input has one of them
  EXPECT_EQ(folder_options(folder.path(), info).limit.extra, 15);
  info.config.positions = PositionKind::relative;
  EXPECT_EQ(folder_options(folder.path(), info).limit.extra, 20);
}

TEST(GenerationConfig, HoldsWhereHuggingFacesSearchIsAskedForByName) {
  const TempDir folder;
  write_json(folder / "generation_config.json", {{"num_beams", 3}, {"length_penalty", 0.8}});
  const DecodeOptions options = folder_options(folder.path(), foreign(), BeamMode::huggingface);
  EXPECT_EQ(options, folder_options(folder.path(), foreign()));
  EXPECT_FALSE(options.force_end);  // the folder names no forced_eos_token_id
  const DecodeOptions own = folder_options(folder.path(), ModelInfo{}, BeamMode::huggingface);
  EXPECT_EQ(own.beam, 3);
  EXPECT_EQ(own.length_penalty, 0.8);
}

TEST(GenerationConfig, BeginsAndBansAsGenerateDoes) {
  EXPECT_EQ(options_for({{"bos_token_id", 4}}).start_id, 4);
  EXPECT_EQ(options_for({{"bos_token_id", 4}, {"decoder_start_token_id", 6}}).start_id, 6);
  const Json end_and_another = Json::parse("[[0], [8]]");  // </s> is 0 here
  EXPECT_THAT(options_for({{"bad_words_ids", end_and_another}}).banned, ElementsAre(8));
}

TEST(GenerationConfig, MayStandInConfigJson) {
  const TempDir folder;
  write_json(folder / "config.json", {{"num_beams", 6}});
  EXPECT_EQ(folder_options(folder.path(), foreign()).beam, 6);
}

TEST(GenerationConfig, LeavesTokensToEverySearchAndThePaperToOwnModels) {
  const TempDir folder;
  write_json(
      folder / "generation_config.json",
      {{"forced_bos_token_id", 3}, {"num_beams", 9}, {"bad_words_ids", Json::parse("[[1]]")}});
  const DecodeOptions marian = folder_options(folder.path(), foreign(), BeamMode::marian);
  EXPECT_EQ(marian.beam, 12);
  EXPECT_EQ(marian.first_id, 3);
  EXPECT_THAT(marian.banned, ElementsAre(1));
  EXPECT_EQ(folder_options(folder.path(), ModelInfo{}).mode, BeamMode::paper);
}

TEST(GenerationConfig, NamesFileAndKeyOfWhatCannotBe) {
  const auto error = [](const Json& json) {
    return message_of<FormatError>([&] { options_for(json); });
  };
  EXPECT_THAT(error({{"num_beams", "four"}}), HasSubstr("\"num_beams\" cannot be \"four\""));
  EXPECT_THAT(error({{"early_stopping", 3}}), HasSubstr("\"early_stopping\" cannot be 3"));
  EXPECT_THAT(error({{"forced_bos_token_id", 100}}),
              HasSubstr("\"forced_bos_token_id\": 100 is not a token of the model"));
  EXPECT_THAT(error({{"bad_words_ids", Json::parse("[[-1]]")}}), HasSubstr("-1 is not a token"));
  EXPECT_THAT(error({{"decoder_start_token_id", 500}}), HasSubstr("500 is not a token"));
  EXPECT_THAT(error(Json::array()), HasSubstr("not a JSON object"));
}

}  // namespace
}  // namespace yona::testing
