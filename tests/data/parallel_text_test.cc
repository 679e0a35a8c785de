// Several corpora as one set, and sampled sub-words inside a budget.

#include "yona/data/parallel_text.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/word_segmenter.h"

#include "tests/data/sample_corpus.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::sample_corpus;
using testing::sample_subwords;
using testing::TempDir;

class DatasetTest : public ::testing::Test {
 protected:
  ParallelText open(const std::vector<CorpusSpec>& corpora, const ParallelTextOptions& options = {},
                    SubwordAlgorithm algorithm = SubwordAlgorithm::bpe) {
    return ParallelText::open(corpora, sample_subwords(algorithm), options, folder_ / "cache",
                              pool_);
  }
  static std::vector<std::uint32_t> all_of(const ParallelText& dataset) {
    std::vector<std::uint32_t> pairs(dataset.count());
    std::iota(pairs.begin(), pairs.end(), 0U);
    return pairs;
  }
  static std::string text_of(const Side& ids, std::size_t sentence) {
    const auto begin = static_cast<std::size_t>(ids.offsets[sentence]);
    const auto end = static_cast<std::size_t>(ids.offsets[sentence + 1]);
    return sample_subwords().source.decode(std::span(ids.ids).subspan(begin, end - begin));
  }

  TempDir folder_;
  ThreadPool pool_{2};
};

TEST_F(DatasetTest, BatchesHoldWhatTheModelWantsAroundATextWhetherSampledOrNot) {
  const TextFrame frame{
      .before_source = {7}, .after_source = {0, 8}, .before_target = {5, 6}, .after_target = {0}};
  const PairEncoder encoder(sample_subwords(), frame, "a frame");
  for (const std::optional<double> sampling : {std::optional<double>(), std::optional(0.3)}) {
    const ParallelText dataset =
        ParallelText::open({sample_corpus(folder_.path(), "a", 4, 1)}, encoder,
                           {.sampling = sampling}, folder_ / "cache", pool_);
    Batch batch;
    dataset.fill(all_of(dataset), 1000, {.seed = 1, .epoch = 0}, batch);
    ASSERT_EQ(batch.examples(), 4);
    for (std::size_t s = 0; s < 4; ++s) {
      const auto begin = static_cast<std::size_t>(batch.sides[kSource].offsets[s]);
      const auto end = static_cast<std::size_t>(batch.sides[kSource].offsets[s + 1]);
      EXPECT_EQ(batch.sides[kSource].ids[begin], 7);
      EXPECT_EQ(batch.sides[kSource].ids[end - 2], 0);
      EXPECT_EQ(batch.sides[kSource].ids[end - 1], 8);
      const auto target = static_cast<std::size_t>(batch.sides[kTarget].offsets[s]);
      EXPECT_EQ(batch.sides[kTarget].ids[target], 5);
      EXPECT_EQ(batch.sides[kTarget].ids[target + 1], 6);
      EXPECT_EQ(batch.sides[kTarget]
                    .ids[static_cast<std::size_t>(batch.sides[kTarget].offsets[s + 1]) - 1],
                0);
    }
  }
}

TEST_F(DatasetTest, RefusesToSampleSubWordsThatAreNoSentencePieceModel) {
  const auto vocabulary =
      std::make_shared<const Vocabulary>(std::vector<std::string>{"</s>", "<unk>", "the", "<pad>"});
  const Subword words(std::make_shared<const WordSegmenter>(vocabulary), vocabulary, "words");
  EXPECT_THAT(message_of<NotImplemented>([&] {
                ParallelText::open({sample_corpus(folder_.path(), "a", 4, 1)},
                                   SubwordPair{words, words}, {.sampling = 0.1}, folder_ / "cache",
                                   pool_);
              }),
              HasSubstr("data.sampling: this model's sub-words are not a SentencePiece model"));
}

TEST_F(DatasetTest, NumbersThePairsOfAllCorporaInARow) {
  std::vector<CorpusSpec> corpora = {sample_corpus(folder_.path(), "a", 5, 1),
                                     sample_corpus(folder_.path(), "b", 7, 2)};
  corpora[1].source_tags = {"<BT>"};
  const ParallelText dataset = open(corpora);
  EXPECT_EQ(dataset.count(), 12U);
  EXPECT_EQ(dataset.parts()[dataset.part_of(4)].name, "a");
  EXPECT_EQ(dataset.parts()[dataset.part_of(5)].name, "b");
  EXPECT_EQ(dataset.parts()[dataset.part_of(11)].name, "b");
  Batch batch;
  dataset.fill(std::vector<std::uint32_t>{11, 0, 5}, 1000, {}, batch);
  EXPECT_EQ(batch.example_ids,
            (std::vector<std::uint64_t>{example_id(1, 6), example_id(0, 0), example_id(1, 0)}));
  EXPECT_EQ(corpus_of(batch.example_ids[0]), 1U);
  EXPECT_EQ(line_of(batch.example_ids[0]), 6U);
  EXPECT_EQ(batch.examples(), 3);
  EXPECT_EQ(batch.weights, (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(batch.sides[kSource].ids[0], 2);  // <BT>
  for (const Side* side : {&batch.sides[kSource], &batch.sides[kTarget]}) {
    ASSERT_EQ(side->offsets.size(), 4U);
    EXPECT_EQ(side->offsets.front(), 0);
    EXPECT_EQ(side->offsets.back(), side->rows());
    for (std::size_t sentence = 1; sentence < 4; ++sentence) {
      EXPECT_EQ(side->ids[static_cast<std::size_t>(side->offsets[sentence]) - 1], 0);  // </s>
    }
  }
  EXPECT_EQ(dataset.lengths(11)[kSource], batch.sides[kSource].offsets[1]);
  EXPECT_EQ(dataset.lengths(11)[kTarget], batch.sides[kTarget].offsets[1]);
}

TEST_F(DatasetTest, RefillingDoesNotAllocate) {
  const ParallelText dataset = open({sample_corpus(folder_.path(), "a", 50)});
  Batch batch;
  dataset.fill(all_of(dataset), 100000, {}, batch);
  const auto* ids = batch.sides[kSource].ids.data();
  const auto* offsets = batch.sides[kTarget].offsets.data();
  const auto* sentences = batch.example_ids.data();
  dataset.fill(all_of(dataset), 100000, {}, batch);
  EXPECT_EQ(batch.sides[kSource].ids.data(), ids);
  EXPECT_EQ(batch.sides[kTarget].offsets.data(), offsets);
  EXPECT_EQ(batch.example_ids.data(), sentences);
}

TEST_F(DatasetTest, SampledSubwordsDependOnSeedEpochAndLineAlone) {
  for (const SubwordAlgorithm algorithm : {SubwordAlgorithm::bpe, SubwordAlgorithm::unigram}) {
    const std::vector<CorpusSpec> corpora = {sample_corpus(folder_.path(), "a", 30)};
    const ParallelText dataset = open(corpora, {.sampling = 0.2}, algorithm);
    Batch first;
    Batch second;
    dataset.fill(std::vector<std::uint32_t>{3, 4, 5}, 100000, {1, 0}, first);
    dataset.fill(std::vector<std::uint32_t>{9, 3}, 100000, {1, 0}, second);
    const auto ids_of = [](const Batch& batch, std::size_t at) {
      const auto& side = batch.sides[kSource];
      return std::vector<std::int32_t>(side.ids.begin() + side.offsets[at],
                                       side.ids.begin() + side.offsets[at + 1]);
    };
    EXPECT_EQ(ids_of(first, 0), ids_of(second, 1));  // whatever else is in the batch
    dataset.fill(std::vector<std::uint32_t>{3, 4, 5}, 100000, {1, 1}, second);
    EXPECT_NE(first.sides[kSource].ids, second.sides[kSource].ids);
    dataset.fill(std::vector<std::uint32_t>{3, 4, 5}, 100000, {2, 0}, second);
    EXPECT_NE(first.sides[kSource].ids, second.sides[kSource].ids);
  }
}

TEST_F(DatasetTest, SampledSubwordsSpellTheSameText) {
  const std::vector<CorpusSpec> corpora = {sample_corpus(folder_.path(), "a", 30)};
  const ParallelText sampled = open(corpora, {.sampling = 0.3});
  const ParallelText plain = open(corpora);
  Batch a;
  Batch b;
  sampled.fill(all_of(sampled), 100000, {1, 0}, a);
  plain.fill(all_of(plain), 100000, {1, 0}, b);
  EXPECT_GT(a.sides[kSource].rows(), b.sides[kSource].rows());
  EXPECT_EQ(a.example_ids, b.example_ids);
  for (std::size_t sentence = 0; sentence < 30; ++sentence) {
    EXPECT_EQ(text_of(a.sides[kSource], sentence), text_of(b.sides[kSource], sentence));
    EXPECT_EQ(text_of(a.sides[kTarget], sentence), text_of(b.sides[kTarget], sentence));
  }
}

TEST_F(DatasetTest, SampledSubwordsKeepToTheLimits) {
  const std::vector<CorpusSpec> corpora = {sample_corpus(folder_.path(), "a", 200)};
  const ParallelText plain = open(corpora);
  std::int64_t longest = 0;
  std::int64_t total_source = 0;
  std::int64_t total_target = 0;
  for (std::uint64_t pair = 0; pair < 200; ++pair) {
    longest = std::max({longest, plain.lengths(pair)[kSource], plain.lengths(pair)[kTarget]});
    total_source += plain.lengths(pair)[kSource];
    total_target += plain.lengths(pair)[kTarget];
  }
  const ParallelText sampled = open(corpora, {.max_length = longest, .sampling = 0.5});
  Batch batch;
  // The budget of the best sub-words: nothing may be sampled. Then half-way to the sampled total.
  const std::int64_t least = std::max(total_source, total_target);
  sampled.fill(all_of(sampled), least, {1, 0}, batch);
  EXPECT_LE(std::max(batch.sides[kSource].rows(), batch.sides[kTarget].rows()), least);
  sampled.fill(all_of(sampled), least * 5 / 4, {1, 0}, batch);
  EXPECT_LE(std::max(batch.sides[kSource].rows(), batch.sides[kTarget].rows()), least * 5 / 4);
  EXPECT_GT(std::max(batch.sides[kSource].rows(), batch.sides[kTarget].rows()), least);
  for (std::size_t sentence = 0; sentence < 200; ++sentence) {
    EXPECT_LE(batch.sides[kSource].offsets[sentence + 1] - batch.sides[kSource].offsets[sentence],
              longest);
  }
}

TEST_F(DatasetTest, RefusesWhatMakesNoSense) {
  const CorpusSpec corpus = sample_corpus(folder_.path(), "a", 5);
  EXPECT_THAT(message_of<InvalidArgument>([&] { open({}); }), HasSubstr("no corpus is given"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                open({corpus, corpus});
              }),
              HasSubstr("two corpora are named a"));
  for (const double alpha : {0.0, -1.0, 1.0}) {
    EXPECT_THAT(message_of<InvalidArgument>([&] { open({corpus}, {.sampling = alpha}); }),
                HasSubstr("is out of range: for BPE it is the probability"));
  }
}

}  // namespace
}  // namespace yona
