#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/io/hf_family.h"

namespace yona {
namespace {

ModelDescription pegasus_with(NormPosition norm, Tying tying) {
  ModelDescription d;
  d.config.source_vocabulary = d.config.target_vocabulary = 100;
  d.config.norm = norm;
  d.config.tying = tying;
  return d;
}

TEST(Pegasus, HoldsPreNormModelsWithOneEmbeddingForBothStacks) {
  EXPECT_EQ(pegasus_family().obstacle(pegasus_with(NormPosition::pre, Tying::all)), "");
  EXPECT_EQ(pegasus_family().obstacle(pegasus_with(NormPosition::pre, Tying::inputs)), "");
  EXPECT_EQ(pegasus_family().config(
                pegasus_with(NormPosition::pre, Tying::inputs))["tie_word_embeddings"],
            false);
  EXPECT_EQ(pegasus_family().obstacle(pegasus_with(NormPosition::post, Tying::all)),
            "Pegasus models are pre-norm");
  EXPECT_EQ(pegasus_family().obstacle(pegasus_with(NormPosition::pre, Tying::none)),
            "Pegasus models have one embedding for both stacks, and this one has two");
}

TEST(Pegasus, TellsCTranslate2WhereTheNormsAre) {
  EXPECT_EQ(
      pegasus_family().config(pegasus_with(NormPosition::pre, Tying::all))["normalize_before"],
      true);
}

}  // namespace
}  // namespace yona
