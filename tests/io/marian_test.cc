#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/io/hf_family.h"

namespace yona {
namespace {

ModelDescription marian_with(const std::string& norm, const std::string& tying) {
  ModelDescription d;
  d.source_vocab = d.target_vocab = 100;
  d.norm = norm;
  d.tying = tying;
  return d;
}

TEST(Marian, HoldsPostNormModelsWithAnyTying) {
  for (const char* tying : {"all", "target", "none"}) {
    EXPECT_EQ(marian_family().obstacle(marian_with("post", tying)), "");
  }
  EXPECT_EQ(marian_family().obstacle(marian_with("pre", "all")), "Marian models are post-norm");
}

TEST(Marian, SaysInItsConfigWhichEmbeddingsAreOne) {
  const auto flags = [](const char* tying) {
    const Json config = marian_family().config(marian_with("post", tying));
    return std::pair(config["share_encoder_decoder_embeddings"].get<bool>(),
                     config["tie_word_embeddings"].get<bool>());
  };
  EXPECT_EQ(flags("all"), std::pair(true, true));
  EXPECT_EQ(flags("target"), std::pair(false, true));
  EXPECT_EQ(flags("none"), std::pair(false, false));
}

}  // namespace
}  // namespace yona
