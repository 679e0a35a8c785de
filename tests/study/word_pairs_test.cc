#include "yona/study/word_pairs.h"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using testing::message_of;

std::vector<std::int32_t> example(const Side& side, std::size_t s) {
  return {side.ids.begin() + side.offsets[s], side.ids.begin() + side.offsets[s + 1]};
}

TEST(WordPairs, ReadsAsItsReferences) {
  const WordPairs corpus({.training = 2000, .validation = 10, .test = 20}, 1);
  const Batch test = corpus.test();
  const std::vector<std::string> references = corpus.references();
  ASSERT_EQ(test.examples(), 20);
  ASSERT_EQ(references.size(), 20U);
  for (std::size_t s = 0; s < 20; ++s) {
    EXPECT_EQ(corpus.text_of(example(test.sides[kTarget], s)), references[s]);
  }
  EXPECT_EQ(std::set<std::string>(references.begin(), references.end()).size(), 20U);
}

TEST(WordPairs, DrawsFromTheFirstPairsAlone) {
  const WordPairs corpus({.training = 100, .validation = 5, .test = 5}, 1);
  std::set<std::vector<std::int32_t>> sources;
  const Batch batch = corpus.training_batch(200, 3, 7);
  for (std::size_t s = 0; s < 200; ++s) {
    sources.insert(example(batch.sides[kSource], s));
  }
  EXPECT_EQ(sources.size(), 3U);
  EXPECT_EQ(corpus.training_batch(200, 3, 7).sides[kTarget].ids, batch.sides[kTarget].ids);
  EXPECT_NE(corpus.training_batch(200, 3, 8).sides[kTarget].ids, batch.sides[kTarget].ids);
}

// There are 60 times of 12 hours, an eighth of them held out.
TEST(WordPairs, MoreThanTheGeneratorHasIsRefused) {
  builtin::Generator times({.target = "fr", .kinds = {builtin::Kind::time}}, builtin::Split::train);
  std::set<std::string> seen;
  EXPECT_EQ(WordPairs::different_pairs(times, 500, seen).size(), 500U);
  EXPECT_EQ(seen.size(), 500U);
  builtin::Generator again({.target = "fr", .kinds = {builtin::Kind::time}}, builtin::Split::train);
  seen.clear();
  const std::string message =
      message_of<InvalidArgument>([&] { WordPairs::different_pairs(again, 1000, seen); });
  EXPECT_EQ(message, fmt::format("study: 1000 different pairs are wanted, the generator has only "
                                 "about {}",
                                 seen.size()));
  EXPECT_LT(seen.size(), 720U);
}

TEST(WordPairs, StopsReadingAtTheEnd) {
  const WordPairs corpus({.training = 100, .validation = 5, .test = 5}, 1);
  EXPECT_EQ(corpus.text_of({2, 0, 2}), corpus.text_of({2}));
  EXPECT_EQ(corpus.text_of({0}), "");
}

}  // namespace
}  // namespace yona
