#include "yona/study/flop_counter.h"

#include <gtest/gtest.h>

#include "yona/study/reversal.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"
#include "yona/tensor/ops/matmul.h"

#include "tests/harness/toy_model.h"

namespace yona {
namespace {

TEST(FlopCounter, CountsTwoForAMultiplicationAndItsAddition) {
  FlopCounter counter;
  Region region(counter.backend(), std::int64_t{1} << 20U);
  Context c{.region = region};
  EXPECT_EQ(counter.flops(), 0);
  const Tensor a = c.zeros(DType::f32, Shape{3, 4});
  matmul(a, c.zeros(DType::f32, Shape{4, 5}), Transpose::no, c);
  EXPECT_EQ(counter.flops(), 2 * 3 * 4 * 5);
  matmul(a, c.zeros(DType::f32, Shape{5, 4}), Transpose::yes, c);
  EXPECT_EQ(counter.flops(), 2 * 2 * 3 * 4 * 5);
}

// An rnn without attention: all of its work is in products, three for each weight and token that it
// is multiplied with. The difference of two batches that differ in one pair is that pair's.
TEST(FlopCounter, CountsForwardAndBackward) {
  Seq2SeqConfig config = testing::toy_config();
  config.source_vocabulary = config.target_vocabulary = kReversalSymbols + 2;
  config.arch = Arch::rnn;
  config.cell = Cell::tanh;
  config.alignment = Alignment::none;
  config.encoder_layers = config.decoder_layers = 1;
  const auto flops = [&](std::int64_t pairs) {
    Seq2SeqObjective objective(config, {.label_smoothing = 0.0});
    return training_flops(objective, reversal_batch(pairs, 3, 3, 1));
  };
  const double d = 8;
  const double tokens = 4;                                          // with </s>
  const double encoder = 2 * (d / 2 * d + d / 2 * d / 2) * tokens;  // two directions: W and U
  const double decoder = (d * d + d * d) * tokens;
  const double start = d * d;  // once for a sentence
  const double softmax = d * (kReversalSymbols + 1) * tokens;
  EXPECT_NEAR(flops(5) - flops(4), 6 * (encoder + decoder + start + softmax),
              0.15 * 6 * (encoder + decoder + start + softmax));
  EXPECT_GT(flops(5), flops(4));
}

}  // namespace
}  // namespace yona
