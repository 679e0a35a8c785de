#include "yona/study/reversal.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "yona/study/training.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"

#include "tests/harness/op_case.h"

namespace yona {
namespace {

TEST(Reversal, TargetsAreSourcesBackwards) {
  const Batch batch = reversal_batch(10, 2, 5, 3);
  const Side& source = batch.sides[kSource];
  const Side& target = batch.sides[kTarget];
  for (std::size_t s = 0; s < 10; ++s) {
    const auto begin = source.offsets[s];
    const auto end = source.offsets[s + 1] - 1;
    EXPECT_GE(end - begin, 2);
    EXPECT_LE(end - begin, 5);
    std::vector<std::int32_t> back(source.ids.begin() + begin, source.ids.begin() + end);
    std::reverse(back.begin(), back.end());
    EXPECT_TRUE(std::equal(back.begin(), back.end(), target.ids.begin() + target.offsets[s]));
    EXPECT_EQ(target.ids[static_cast<std::size_t>(end)], kReversalEnd);
  }
}

// The sequences of two symbols of the smallest model are learned within seconds.
TEST(Reversal, AccuracyRisesWithTraining) {
  const StudySetting setting{testing::shared_backend("cpu"), 1, StudySize::small};
  Seq2SeqObjective objective(reversal_config(setting), {.label_smoothing = 0.0});
  StudyRun run(objective, setting, {.updates = 150, .rate = 1e-2, .warmup = 20}, 1);
  const Batch test = reversal_batch(50, 1, 2, 0);
  const double before = run.loss(test);
  const double guessed = reversal_accuracy(objective.model(), test, setting.backend).symbols;
  run.train([](std::int64_t update) {
    return reversal_batch(64, 1, 2, static_cast<std::uint64_t>(update));
  });
  EXPECT_LT(run.loss(test), before / 4);
  const ReversalAccuracy learned = reversal_accuracy(objective.model(), test, setting.backend);
  EXPECT_LT(guessed, 0.4);
  EXPECT_GT(learned.symbols, 0.9);
  EXPECT_LE(learned.sequences, learned.symbols);
  EXPECT_GT(run.seconds_per_update(), 0);
  EXPECT_GT(run.peak_bytes(), 0);
}

}  // namespace
}  // namespace yona
