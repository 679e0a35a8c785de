#include "yona/models/feed_forward_s2s.h"

#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

Seq2SeqConfig fixed_config() {
  Seq2SeqConfig config = toy_config();
  config.arch = Arch::feed_forward;
  config.input_length = 6;
  config.kernel_width = 2;
  return config;
}

TEST(FeedForwardS2S, HasOneVectorForASentence) {
  ToyModel toy(fixed_config(), "cpu");
  Context c{.region = toy.region};
  const Ragged memory = toy.encode(toy_sentences({{3, 2}, {6, 1}, {1, 4}}), c);
  EXPECT_EQ(memory.values.shape(), Shape({3, 8}));
  EXPECT_EQ(memory.layout->sentences, 3);
}

TEST(FeedForwardS2S, SeesTheLastTokensOfTheTargetAlone) {
  ToyModel toy(fixed_config(), "cpu");
  Context c{.region = toy.region};
  std::vector<ToySentence> batch = toy_sentences({{2, 6}});
  const Tensor before = toy.decode(batch, c).values;
  batch.front().target[1] = (batch.front().target[1] + 1) % 10;
  const Tensor after = toy.decode(batch, c).values;
  for (std::int64_t t = 0; t < 6; ++t) {
    EXPECT_EQ(values_of(before.row_range(t, 1)) == values_of(after.row_range(t, 1)), t < 1 || t > 2)
        << t;
  }
}

TEST(FeedForwardS2S, KnowsWhereATokenOfTheSourceIs) {
  ToyModel toy(fixed_config(), "cpu");
  Context c{.region = toy.region};
  std::vector<ToySentence> batch = toy_sentences({{4, 1}});
  batch.front().source = {1, 2, 3, 4};
  const std::vector<double> before = values_of(toy.encode(batch, c).values);
  batch.front().source = {1, 3, 2, 4};
  EXPECT_NE(values_of(toy.encode(batch, c).values), before);
}

TEST(FeedForwardS2S, RefusesALongerSource) {
  ToyModel toy(fixed_config(), "cpu");
  Context c{.region = toy.region};
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              toy.encode(toy_sentences({{7, 1}}), c);
            }),
            "feed-forward: a source of 7 tokens is longer than the input of 6 "
            "(model.input_length); translate shorter sentences, or train with a longer input");
}

}  // namespace
}  // namespace yona::testing
