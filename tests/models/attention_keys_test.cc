#include "yona/models/attention_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/models/bert_config.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

std::string refusal(AttentionKind kind, const AttentionSizes& sizes) {
  return message_of<InvalidArgument>([&] { check_attention(kind, sizes); });
}

TEST(AttentionKeys, WindowsNeedAWidth) {
  EXPECT_THAT(refusal(AttentionKind::window, {}),
              ::testing::HasSubstr("model.window: the attention window needs a window"));
  EXPECT_THAT(refusal(AttentionKind::dilated, {}), ::testing::HasSubstr("model.window"));
  EXPECT_THAT(refusal(AttentionKind::lambda, {}), ::testing::HasSubstr("lambda needs a window"));
  EXPECT_THAT(refusal(AttentionKind::blocks, {.window = 8}),
              ::testing::HasSubstr("the attention blocks has no window"));
  EXPECT_NO_THROW(check_attention(AttentionKind::window, {.window = 8}));
  EXPECT_NO_THROW(check_attention(AttentionKind::sparse, {}));
}

TEST(AttentionKeys, LinformerAndLambdaHaveNoCausalForm) {
  EXPECT_NO_THROW(check_attention(AttentionKind::linformer, {}));
  EXPECT_THAT(
      message_of<InvalidArgument>([] { check_causal_attention(AttentionKind::linformer, {}); }),
      ::testing::HasSubstr("model.attention: linformer has no causal form"));
  EXPECT_NO_THROW(check_attention(AttentionKind::lambda, {.window = 8}));
  EXPECT_THAT(message_of<InvalidArgument>(
                  [] { check_causal_attention(AttentionKind::lambda, {.window = 8}); }),
              ::testing::HasSubstr("model.attention: lambda has no causal form"));
  EXPECT_NO_THROW(check_causal_attention(AttentionKind::performer, {}));
}

TEST(AttentionKeys, WhatHasNoWeightsHasNoneToDrop) {
  EXPECT_NO_THROW(check_attention_dropout(AttentionKind::performer, 0.0));
  EXPECT_NO_THROW(check_attention_dropout(AttentionKind::window, 0.1));
  for (const AttentionKind kind : {AttentionKind::performer, AttentionKind::lambda}) {
    EXPECT_THAT(message_of<InvalidArgument>([&] { check_attention_dropout(kind, 0.1); }),
                ::testing::HasSubstr("has no weights to drop; set it to 0"));
  }
  EXPECT_NO_THROW(check_attention_dropout(AttentionKind::reformer, 0.0));
  EXPECT_THAT(
      message_of<InvalidArgument>([] { check_attention_dropout(AttentionKind::reformer, 0.1); }),
      ::testing::HasSubstr("the attention reformer drops no weights; set it to 0"));
}

TEST(AttentionKeys, ReformerHasSidesOfAxesForBuckets) {
  EXPECT_NO_THROW(check_causal_attention(AttentionKind::reformer, {}));
  EXPECT_THAT(refusal(AttentionKind::reformer, {.buckets = 5}),
              ::testing::HasSubstr("model.buckets: 5 is odd"));
}

TEST(AttentionKeys, SetKindAndSizes) {
  BertConfig config;
  for (const ConfigKey<BertConfig>& key :
       attention_keys(&BertConfig::attention, &BertConfig::attention_sizes)) {
    const auto value = key.name == "attention" ? "sparse" : "7";
    key.set(config, ConfigNode::scalar(value), {key.name, "", ""});
  }
  EXPECT_EQ(config.attention, AttentionKind::sparse);
  EXPECT_EQ(config.attention_sizes, (AttentionSizes{7, 7, 7, 7, 7, 7, 7, 7, 7, 7}));
}

}  // namespace
}  // namespace yona::testing
