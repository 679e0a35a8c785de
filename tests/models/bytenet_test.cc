#include "yona/models/bytenet.h"

#include <gtest/gtest.h>

#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

Seq2SeqConfig byte_config() {
  Seq2SeqConfig config = toy_config();
  config.arch = Arch::bytenet;
  config.encoder_layers = config.decoder_layers = 3;
  config.longest_dilation = 4;
  return config;
}

// Dilations of 1, 2 and 1 see 8 tokens back in windows of three; with a longest of 1 only 6.
TEST(ByteNet, SeesAsFarAsItsDilationsReach) {
  for (const auto& [longest, reach] : {std::pair(2, 8), std::pair(1, 6)}) {
    Seq2SeqConfig config = byte_config();
    config.longest_dilation = longest;
    ToyModel toy(config, "cpu");
    Context c{.region = toy.region};
    std::vector<ToySentence> batch = toy_sentences({{1, 12}});
    const Tensor before = toy.decode(batch, c).values;
    batch.front().target[1] = (batch.front().target[1] + 1) % 10;
    const Tensor after = toy.decode(batch, c).values;
    for (std::int64_t t = 1; t < 12; ++t) {
      EXPECT_EQ(values_of(before.row_range(t, 1)) == values_of(after.row_range(t, 1)),
                t > 1 + reach)
          << longest << " " << t;
    }
  }
}

// Position t of the target reads position t of the source, or the last one where there is none.
TEST(ByteNet, ReadsTheSourceAtItsOwnPosition) {
  ToyModel toy(byte_config(), "cpu");
  Context c{.region = toy.region};
  const std::vector<ToySentence> batch = toy_sentences({{3, 5}});
  const Ragged memory = toy.encode(batch, c);
  const Tokens target = toy.tokens(batch, &ToySentence::target);
  const Tensor before = toy.model.decode(target, memory, c).values;
  set_values(memory.values.row_range(2, 1), std::vector<double>(8, 0.5));
  const Tensor after = toy.model.decode(target, memory, c).values;
  for (std::int64_t t = 0; t < 5; ++t) {
    EXPECT_EQ(values_of(before.row_range(t, 1)) == values_of(after.row_range(t, 1)), t < 2) << t;
  }
}

}  // namespace
}  // namespace yona::testing
