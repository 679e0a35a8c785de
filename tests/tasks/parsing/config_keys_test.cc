#include "yona/tasks/parsing/config_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/tasks/task_kind.h"

#include "tests/tasks/config_sources.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using testing::from_yaml;
using ::testing::HasSubstr;
using testing::message_of;

TEST(ParsingKeys, DefaultsAreThePapersLayersAndF1) {
  const RunConfig config = from_yaml("task: parsing");
  EXPECT_EQ(config.preset, "tiny");
  EXPECT_EQ(config.model.encoder_layers, 4);
  EXPECT_EQ(config.train.best_by, "f1");
  EXPECT_THAT(config.train.valid_metrics, ElementsAre("f1"));
  EXPECT_EQ(from_yaml("task: parsing\npreset: paper").model.d_model, 1024);
}

TEST(ParsingKeys, EachSurvivesWritingAndReading) {
  const std::string yaml =
      to_yaml(from_yaml("task: parsing\npreset: small\ndata:\n  train: [a.mrg, b.mrg]\n  valid: "
                        "v.mrg\n  leaves: placeholders\n  sampling: 0.1\n  substitution: 0.2\n  "
                        "max_length: 99\n  subwords: unigram\n  vocabulary_size: 77\n"));
  EXPECT_EQ(to_yaml(from_yaml(yaml)), yaml);
  EXPECT_THAT(yaml, HasSubstr("leaves: placeholders\n"));
}

TEST(ParsingKeys, WhatDoesNotGoTogetherIsRefused) {
  RunConfig config = from_yaml("task: parsing");
  const auto refused = [&] {
    return message_of<InvalidArgument>([&] { check_parsing_config(config); });
  };
  EXPECT_THAT(refused(), HasSubstr("data.train: there is nothing to train on; give --train"));
  config.parsing.train = {"/no/such.mrg"};
  EXPECT_THAT(refused(), HasSubstr("data.train: /no/such.mrg: no such file"));
  config.train.patience = 2;
  EXPECT_THAT(refused(), HasSubstr("train.patience: stopping early needs a validation set"));
  config.train.valid_metrics = {};
  EXPECT_THAT(refused(), HasSubstr("train.best_by: f1 is not among train.valid_metrics"));
  config.train.valid_metrics = {"f1", "bleu"};
  EXPECT_THAT(refused(),
              HasSubstr("train.valid_metrics: expected f1, complete or tags, got 'bleu'"));
  config.parsing.max_length = 5000;
  EXPECT_THAT(refused(), HasSubstr("data.max_length: 5000 is more than model.max_positions 1024"));
  config.model.tying = Tying::all;
  EXPECT_THAT(refused(), HasSubstr("model.tying: words and tree symbols have separate"));
  EXPECT_THAT(message_of<InvalidArgument>([] { parsing_preset("base"); }),
              HasSubstr("'base' is not one of parsing; use tiny, small, paper"));
  EXPECT_THAT(testing::yaml_error("task: parsing\ndata:\n  source_language: en"),
              HasSubstr("unknown key 'data.source_language'"));
}

}  // namespace
}  // namespace yona
