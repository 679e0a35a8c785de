#include "yona/tasks/classification/new_classifier_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tasks/config_sources.h"

namespace yona::testing {
namespace {

TEST(NewClassifierPlan, WiderModelsLearnMoreSlowly) {
  EXPECT_DOUBLE_EQ(new_encoder_rate(128), 0.001);
  EXPECT_LT(new_encoder_rate(768), 0.0002);
}

TEST(NewClassifierPlan, WhatIsGivenStays) {
  RunConfig config = resolve_config(
      "", {set("task", "classification"), set("model.norm", "post"), set("model.dropout", "0.1"),
           set("data.hidden", "0"), set("train.learning_rate", "0.002")});
  plan_new_classifier(config);
  EXPECT_EQ(config.preset, "bert-tiny");
  EXPECT_EQ(config.bert.norm, NormPosition::post);
  EXPECT_EQ(config.bert.text_vector, TextVector::mean);
  EXPECT_EQ(config.bert.dropout, 0.1);
  EXPECT_EQ(config.texts.hidden, 0);
  EXPECT_EQ(config.train.schedule.rate, 0.002);
}

TEST(NewClassifierPlan, AConfigurationMadeInCodeStaysAsItIs) {
  RunConfig config;
  config.task = "classification";
  plan_new_classifier(config);
  EXPECT_EQ(config.texts.hidden, 0);
  EXPECT_THAT(planned_classification_keys(), ::testing::Contains("train.updates"));
}

}  // namespace
}  // namespace yona::testing
