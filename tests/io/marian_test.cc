#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/io/hf_family.h"

namespace yona {
namespace {

ModelDescription marian_with(NormPosition norm, Tying tying) {
  ModelDescription d;
  d.config.source_vocabulary = d.config.target_vocabulary = 100;
  d.config.norm = norm;
  d.config.tying = tying;
  return d;
}

TEST(Marian, HoldsPostNormModelsWithAnyTying) {
  for (const Tying tying : {Tying::all, Tying::target, Tying::none}) {
    EXPECT_EQ(marian_family().obstacle(marian_with(NormPosition::post, tying)), "");
  }
  EXPECT_EQ(marian_family().obstacle(marian_with(NormPosition::pre, Tying::all)),
            "Marian models are post-norm");
}

TEST(Marian, SaysInItsConfigWhichEmbeddingsAreOne) {
  const auto flags = [](Tying tying) {
    const Json config = marian_family().config(marian_with(NormPosition::post, tying));
    return std::pair(config["share_encoder_decoder_embeddings"].get<bool>(),
                     config["tie_word_embeddings"].get<bool>());
  };
  EXPECT_EQ(flags(Tying::all), std::pair(true, true));
  EXPECT_EQ(flags(Tying::target), std::pair(false, true));
  EXPECT_EQ(flags(Tying::none), std::pair(false, false));
}

}  // namespace
}  // namespace yona
