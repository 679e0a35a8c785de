#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/io/hf_family.h"

namespace yona {
namespace {

ModelDescription model(const std::string& norm, const std::string& tying) {
  ModelDescription d;
  d.source_vocab = d.target_vocab = 100;
  d.norm = norm;
  d.tying = tying;
  return d;
}

TEST(Pegasus, HoldsPreNormModelsThatShareAllEmbeddings) {
  EXPECT_EQ(pegasus_family().obstacle(model("pre", "all")), "");
  EXPECT_EQ(pegasus_family().obstacle(model("post", "all")), "Pegasus models are pre-norm");
  EXPECT_EQ(pegasus_family().obstacle(model("pre", "none")),
            "Pegasus models share all embeddings, and this one does not");
}

TEST(Pegasus, TellsCTranslate2WhereTheNormsAre) {
  EXPECT_EQ(pegasus_family().config(model("pre", "all"))["normalize_before"], true);
}

}  // namespace
}  // namespace yona
