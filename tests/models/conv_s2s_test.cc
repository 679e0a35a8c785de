#include "yona/models/conv_s2s.h"

#include <gtest/gtest.h>

#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

Seq2SeqConfig conv_config() {
  Seq2SeqConfig config = toy_config();
  config.arch = Arch::convs2s;
  return config;
}

TEST(ConvS2S, HasTheParametersOfItsLayers) {
  const std::int64_t convolution = (3 * 8 + 1) * 16;
  const std::int64_t attention = 4 * (8 + 1) * 8;
  EXPECT_EQ(ToyModel(conv_config()).parameters.count(), 11 * 8 + 4 * convolution + 2 * attention);
}

// Two layers of three tokens see two to each side; the memory adds nothing to that.
TEST(ConvS2S, EncodesATokenFromItsNeighbours) {
  ToyModel toy(conv_config(), "cpu");
  Context c{.region = toy.region};
  std::vector<ToySentence> batch = toy_sentences({{8, 1}});
  const Tensor before = toy.encode(batch, c).values;
  batch.front().source[5] = (batch.front().source[5] + 1) % 10;
  const Tensor after = toy.encode(batch, c).values;
  for (std::int64_t t = 0; t < 8; ++t) {
    EXPECT_EQ(values_of(before.row_range(t, 1)) == values_of(after.row_range(t, 1)), t < 3) << t;
  }
}

}  // namespace
}  // namespace yona::testing
