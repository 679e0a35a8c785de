// What holds for every architecture: its sentences do not see each other, and neither threads nor
// backends matter. Whole models against PyTorch are in transformer_pytorch_test.cc, gradients in
// transformer_gradient_test.cc, decoding step by step in tests/tensor/attention_cache_test.cc.

#include "yona/models/seq2seq.h"

#include <gtest/gtest.h>

#include "yona/models/bytenet.h"
#include "yona/models/conv_s2s.h"
#include "yona/models/feed_forward_s2s.h"
#include "yona/models/rnn.h"

#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

TEST(Seq2Seq, MakesTheModelOfTheArchitecture) {
  Seq2SeqConfig config = toy_config();
  EXPECT_NE(dynamic_cast<Transformer*>(make_seq2seq(config).get()), nullptr);
  config.arch = Arch::rnn;
  EXPECT_NE(dynamic_cast<Rnn*>(make_seq2seq(config).get()), nullptr);
  config.arch = Arch::convs2s;
  EXPECT_NE(dynamic_cast<ConvS2S*>(make_seq2seq(config).get()), nullptr);
  config.arch = Arch::bytenet;
  EXPECT_NE(dynamic_cast<ByteNet*>(make_seq2seq(config).get()), nullptr);
  config.arch = Arch::feed_forward;
  EXPECT_NE(dynamic_cast<FeedForwardS2S*>(make_seq2seq(config).get()), nullptr);
}

TEST(Seq2Seq, GivesEachSentenceWhatItGetsAlone) {
  for (const Seq2SeqConfig& config : other_toy_configs()) {
    SCOPED_TRACE(toy_name(config));
    ToyModel toy(config, "cpu");
    Context c{.region = toy.region};
    const std::vector<ToySentence> batch = toy_sentences({{4, 3}, {1, 1}, {7, 5}, {2, 6}});
    const std::vector<double> together = values_of(toy.decode(batch, c).values);
    std::vector<double> alone;
    for (const ToySentence& sentence : batch) {
      const std::vector<double> part = values_of(toy.decode({sentence}, c).values);
      alone.insert(alone.end(), part.begin(), part.end());
    }
    expect_near(together, alone, kBackendF32, "states");
  }
}

// A token must not see those after it.
TEST(Seq2Seq, DoesNotLookAhead) {
  for (const Seq2SeqConfig& config : other_toy_configs()) {
    SCOPED_TRACE(toy_name(config));
    ToyModel toy(config, "cpu");
    Context c{.region = toy.region};
    std::vector<ToySentence> batch = toy_sentences({{4, 5}});
    const Tensor whole = toy.decode(batch, c).values;
    batch.front().target.back() = (batch.front().target.back() + 1) % 10;
    const Tensor other = toy.decode(batch, c).values;
    EXPECT_EQ(values_of(whole.row_range(0, 4)), values_of(other.row_range(0, 4)));
    EXPECT_NE(values_of(whole.row_range(4, 1)), values_of(other.row_range(4, 1)));
  }
}

TEST(Seq2Seq, HasTheSameBitsWithAnyNumberOfThreads) {
  for (const Seq2SeqConfig& config : other_toy_configs()) {
    SCOPED_TRACE(toy_name(config));
    std::vector<std::vector<double>> states;
    for (const int threads : {1, 3}) {
      Backend& backend = shared_backend("cpu", threads);
      const std::unique_ptr<SequenceModel> model = make_seq2seq(config);
      Parameters parameters(*model, backend, Gradients::no);
      parameters.initialise(3);
      Region region(backend, std::int64_t{1} << 26U);
      Context c{.region = region};
      const std::vector<std::int64_t> offsets{0, 3, 11, 12};
      const Tokens tokens{ids_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}, region),
                          make_layout(offsets, {}, region)};
      states.push_back(values_of(model->decode(tokens, model->encode(tokens, c), c).values));
    }
    EXPECT_EQ(states[0], states[1]);
  }
}

}  // namespace
}  // namespace yona::testing
