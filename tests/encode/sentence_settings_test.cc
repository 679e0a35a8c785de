#include "yona/encode/sentence_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class SentenceSettingsTest : public ::testing::Test {
 protected:
  SentenceSettings with_pooling(const Json& pooling) const {
    std::filesystem::create_directories(folder_ / "1_Pooling");
    write_json(folder_ / "1_Pooling/config.json", pooling);
    write_json(folder_ / "modules.json",
               Json::array({Json{{"type", "sentence_transformers.models.Transformer"}},
                            Json{{"type", "sentence_transformers.models.Pooling"}}}));
    return read_sentence_settings(folder_.path());
  }

  TempDir folder_;
};

TEST_F(SentenceSettingsTest, AFolderWithoutModulesTakesTheMeanOfLengthOne) {
  const SentenceSettings settings = read_sentence_settings(folder_.path());
  EXPECT_EQ(settings.pooling, Pooling::mean);
  EXPECT_TRUE(settings.normalise);
  EXPECT_EQ(settings.max_length, 0);
}

TEST_F(SentenceSettingsTest, PoolingIsReadInBothOfItsForms) {
  EXPECT_EQ(with_pooling({{"pooling_mode_cls_token", true}}).pooling, Pooling::cls);
  EXPECT_EQ(with_pooling({{"pooling_mode_max_tokens", true}}).pooling, Pooling::max);
  EXPECT_EQ(with_pooling({{"pooling_mode", "mean"}}).pooling, Pooling::mean);
  EXPECT_EQ(with_pooling({{"pooling_mode", "cls"}}).pooling, Pooling::cls);
}

TEST_F(SentenceSettingsTest, WhatIsNotSupportedIsNamed) {
  const auto refused = [&](const Json& pooling) {
    return message_of<FormatError>([&] { with_pooling(pooling); });
  };
  EXPECT_THAT(refused({{"pooling_mode", "lasttoken"}}),
              HasSubstr("the pooling mode 'lasttoken' is not supported; mean, cls and max are"));
  EXPECT_THAT(refused(Json::object()), HasSubstr("has 0 pooling modes; one is supported"));
  EXPECT_THAT(refused({{"pooling_mode_cls_token", true}, {"pooling_mode_mean_tokens", true}}),
              HasSubstr("has 2 pooling modes"));
  EXPECT_THAT(refused({{"pooling_mode_mean_tokens", true}, {"include_prompt", false}}),
              HasSubstr("include_prompt false is not supported"));
  EXPECT_THAT(refused(Json::array()), HasSubstr("is not an object"));
  EXPECT_THAT(message_of<InvalidArgument>([] { pooling_of("sum"); }),
              HasSubstr("pooling: 'sum' is unknown; use mean, cls or max"));
}

TEST_F(SentenceSettingsTest, FilesOfTheWrongShapeAreRefused) {
  for (const char* modules : {"{}", "[1]", "[{\"type\": 3}]", "[", "\"x\""}) {
    write_bytes(folder_ / "modules.json", modules);
    EXPECT_THAT(message_of<FormatError>([&] { read_sentence_settings(folder_.path()); }),
                HasSubstr("modules.json"))
        << modules;
  }
  with_pooling({{"pooling_mode_mean_tokens", true}});
  for (const char* limits : {"{\"max_seq_length\": 2}", "{\"max_seq_length\": -5}"}) {
    write_bytes(folder_ / "sentence_bert_config.json", limits);
    EXPECT_THAT(message_of<FormatError>([&] { read_sentence_settings(folder_.path()); }),
                HasSubstr("sentence_bert_config.json"))
        << limits;
  }
  std::filesystem::remove(folder_ / "sentence_bert_config.json");
  for (const char* prompts : {"{\"prompts\": 3}", "{\"prompts\": [\"a\"]}"}) {
    write_bytes(folder_ / "config_sentence_transformers.json", prompts);
    const auto read = [&] { read_sentence_settings(folder_.path()); };
    EXPECT_THAT(message_of<FormatError>(read), HasSubstr("config_sentence_transformers.json"))
        << prompts;
  }
}

}  // namespace
}  // namespace yona::testing
