#include "yona/models/rnn.h"

#include <gtest/gtest.h>

#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

Seq2SeqConfig rnn_config() {
  Seq2SeqConfig config = toy_config();
  config.arch = Arch::rnn;
  return config;
}

// Layers of d = 8: an LSTM's W and U with two biases, 4 (d_in + d + 2) d; the encoder's two halves.
TEST(Rnn, HasTheParametersOfItsLayers) {
  Seq2SeqConfig config = rnn_config();
  const auto count = [&] { return ToyModel(config).parameters.count(); };
  const std::int64_t encoder = 2 * 2 * 4 * (8 + 4 + 2) * 4;
  const std::int64_t decoder = 2 * 4 * (8 + 8 + 2) * 8 + (8 + 1) * 16;
  config.alignment = Alignment::none;
  EXPECT_EQ(count(), 11 * 8 + encoder + decoder);
  config.alignment = Alignment::multiplicative;  // four projections, and h's half of W_c
  EXPECT_EQ(count(), 11 * 8 + encoder + decoder + 4 * (8 + 1) * 8 + 8 * 8);
  config.alignment = Alignment::additive;  // and v
  EXPECT_EQ(count(), 11 * 8 + encoder + decoder + 4 * (8 + 1) * 8 + 8 * 8 + 8);
}

// Without attention the source is seen through two states alone; with it through all.
TEST(Rnn, SeesTheWholeMemoryOnlyWithAttention) {
  for (const Alignment alignment : {Alignment::none, Alignment::additive}) {
    Seq2SeqConfig config = rnn_config();
    config.alignment = alignment;
    ToyModel toy(config, "cpu");
    Context c{.region = toy.region};
    const std::vector<ToySentence> batch = toy_sentences({{4, 3}});
    const Ragged memory = toy.encode(batch, c);
    const Tokens target = toy.tokens(batch, &ToySentence::target);
    const std::vector<double> before = values_of(toy.model.decode(target, memory, c).values);
    set_values(memory.values.row_range(1, 2), std::vector<double>(16, 0.5));  // neither end
    const std::vector<double> after = values_of(toy.model.decode(target, memory, c).values);
    EXPECT_EQ(before == after, alignment == Alignment::none);
  }
}

// The recorder of alignments finds the attention in the last layer.
TEST(Rnn, NamesItsAttentionAsTheTransformerDoes) {
  ToyModel toy(rnn_config());
  EXPECT_NE(toy.parameters.find("decoder.layers.1.cross_attention.query.weight"), nullptr);
  EXPECT_NE(toy.parameters.find("encoder.layers.0.backward.hidden.weight"), nullptr);
}

}  // namespace
}  // namespace yona::testing
