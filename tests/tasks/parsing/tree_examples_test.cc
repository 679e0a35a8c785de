#include "yona/tasks/parsing/tree_examples.h"

#include <numeric>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/batches.h"
#include "yona/tasks/parsing/parsing_model.h"
#include "yona/trees/treebank.h"

#include "tests/tasks/parsing/toy_treebank.h"
#include "tests/text/sample_text.h"

namespace yona {
namespace {

class TreeExamplesTest : public testing::ToyTreebank {
 protected:
  std::vector<Tree> trees() const { return read_treebank({folder_ / "train.mrg"}); }
  PairEncoder encoder() const {
    return SubwordPair{Subword(testing::sample_model(SubwordAlgorithm::bpe)),
                       whole_symbols(symbol_vocabulary(trees(), LeafSymbol::tag), "symbols")};
  }
};

TEST_F(TreeExamplesTest, ABatchHasWordsAndSymbolsOfItsTrees) {
  const std::vector<Tree> all = trees();
  const TreeExamples examples(all, encoder(), {});
  EXPECT_EQ(examples.count(), 200U);
  Batch batch;
  const std::vector<std::uint32_t> wanted{3, 7};
  examples.fill(wanted, 4096, {}, batch);
  ASSERT_EQ(batch.examples(), 2);
  const PairEncoder texts = encoder();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Side& target = batch.sides[kTarget];
    const std::span<const std::int32_t> ids(target.ids.data() + target.offsets[i],
                                            static_cast<std::size_t>(target.rows_of(i)));
    EXPECT_EQ(texts.target.subword.decode(ids), symbol_line(all[wanted[i]], LeafSymbol::tag));
    EXPECT_EQ(ids.back(), 0);
    EXPECT_EQ(batch.example_ids[i], example_id(0, wanted[i]));
  }
}

TEST_F(TreeExamplesTest, DrawsDifferByEpochAndRepeatByKey) {
  const TreeExamples examples(trees(), encoder(), {.sampling = 0.3, .substitution = 0.3});
  const auto filled = [&](std::int64_t epoch) {
    std::vector<std::uint32_t> wanted(40);
    std::iota(wanted.begin(), wanted.end(), 0U);
    Batch batch;
    examples.fill(wanted, 100000, {.seed = 1, .epoch = epoch}, batch);
    return std::pair(batch.sides[kSource].ids, batch.sides[kTarget].ids);
  };
  EXPECT_EQ(filled(0), filled(0));
  EXPECT_NE(filled(0).first, filled(1).first);
  EXPECT_NE(filled(0), filled(2));
}

TEST_F(TreeExamplesTest, NoDrawMakesABatchLargerThanItsBudget) {
  const TreeExamples examples(trees(), encoder(), {.sampling = 0.5, .substitution = 0.5});
  for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
    const BatchPlan plan = BatchPlan::shuffled(examples, 150, 1, epoch);
    for (std::int64_t i = 0; i < plan.batches(); ++i) {
      Batch batch;
      examples.fill(plan.batch(i), 150, {.seed = 1, .epoch = epoch}, batch);
      EXPECT_LE(batch.sides[kSource].rows(), 150);
      EXPECT_LE(batch.sides[kTarget].rows(), 150);
    }
  }
}

TEST_F(TreeExamplesTest, LongTreesAreLeftOutAndCounted) {
  const TreeExamples examples(trees(), encoder(), {.max_length = 24});
  EXPECT_GT(examples.left_out(), 0);
  EXPECT_EQ(examples.count() + static_cast<std::uint64_t>(examples.left_out()), 200U);
  EXPECT_THROW(TreeExamples(trees(), encoder(), {.max_length = 3}), InvalidArgument);
}

}  // namespace
}  // namespace yona
