#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/io/hf_family.h"

namespace yona {
namespace {

ModelDescription pegasus_with(const std::string& norm, const std::string& tying) {
  ModelDescription d;
  d.source_vocab = d.target_vocab = 100;
  d.norm = norm;
  d.tying = tying;
  return d;
}

TEST(Pegasus, HoldsPreNormModelsWithOneEmbeddingForBothStacks) {
  EXPECT_EQ(pegasus_family().obstacle(pegasus_with("pre", "all")), "");
  EXPECT_EQ(pegasus_family().obstacle(pegasus_with("pre", "inputs")), "");
  EXPECT_EQ(pegasus_family().config(pegasus_with("pre", "inputs"))["tie_word_embeddings"], false);
  EXPECT_EQ(pegasus_family().obstacle(pegasus_with("post", "all")), "Pegasus models are pre-norm");
  EXPECT_EQ(pegasus_family().obstacle(pegasus_with("pre", "none")),
            "Pegasus models have one embedding for both stacks, and this one has two");
}

TEST(Pegasus, TellsCTranslate2WhereTheNormsAre) {
  EXPECT_EQ(pegasus_family().config(pegasus_with("pre", "all"))["normalize_before"], true);
}

}  // namespace
}  // namespace yona
