// IBM Model 1 against a plain table of all pairs, and on text whose dictionary is known.

#include "yona/decode/piece_alignment.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/random.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

struct IdPair {
  Ids source, target;
};

// Sentences over ids 0 … 9, in which s is translated by 2·s + 1, in any order, and 0 means nothing.
std::vector<IdPair> dictionary_pairs(int count) {
  RandomSequence random(3);
  std::vector<IdPair> pairs;
  for (int n = 0; n < count; ++n) {
    IdPair& pair = pairs.emplace_back();
    for (std::uint64_t i = 0; i < 2 + random.below(4); ++i) {
      const auto id = static_cast<std::int32_t>(random.below(10));
      pair.source.push_back(id);
      pair.target.insert(pair.target.begin() + static_cast<std::ptrdiff_t>(random.below(i + 1)),
                         2 * id + 1);
    }
    pair.target.push_back(0);
  }
  return pairs;
}

PiecePairs pieces_of(const std::vector<IdPair>& pairs) {
  PiecePairs pieces(10, 20);
  for (const IdPair& pair : pairs) {
    pieces.add(pair.source, pair.target);
  }
  return pieces;
}

// The textbook's loop: p[s][t], source 10 is none.
std::vector<std::vector<double>> plain_model1(const std::vector<IdPair>& pairs, int iterations) {
  std::vector<std::vector<double>> p(11, std::vector<double>(20, 1.0));
  for (int i = 0; i < iterations; ++i) {
    std::vector<std::vector<double>> counts(11, std::vector<double>(20, 0.0));
    for (IdPair pair : pairs) {
      pair.source.push_back(10);
      for (const std::int32_t t : pair.target) {
        double sum = 0;
        for (const std::int32_t s : pair.source) {
          sum += p[static_cast<std::size_t>(s)][static_cast<std::size_t>(t)];
        }
        for (const std::int32_t s : pair.source) {
          counts[static_cast<std::size_t>(s)][static_cast<std::size_t>(t)] +=
              p[static_cast<std::size_t>(s)][static_cast<std::size_t>(t)] / sum;
        }
      }
    }
    for (std::size_t s = 0; s < 11; ++s) {
      double total = 0;
      for (const double count : counts[s]) {
        total += count;
      }
      for (std::size_t t = 0; t < 20; ++t) {
        p[s][t] = total > 0 ? counts[s][t] / total : 0;
      }
    }
  }
  return p;
}

TEST(PieceAlignment, IsModel1) {
  const std::vector<IdPair> pairs = dictionary_pairs(40);
  ThreadPool pool(1);
  for (const int iterations : {1, 2, 5}) {
    const auto found = align_pieces(pieces_of(pairs), {.iterations = iterations}, pool);
    const auto expected = plain_model1(pairs, iterations);
    ASSERT_EQ(found.size(), 10U);
    for (std::size_t s = 0; s < 10; ++s) {
      double sum = 0;
      for (const PieceTranslation& translation : found[s]) {
        EXPECT_NEAR(translation.probability,
                    expected[s][static_cast<std::size_t>(translation.target)], 1e-5);
        sum += translation.probability;
      }
      EXPECT_NEAR(sum, 1.0, 1e-5);
    }
  }
}

TEST(PieceAlignment, FindsADictionary) {
  ThreadPool pool(1);
  const auto found = align_pieces(pieces_of(dictionary_pairs(400)), {}, pool);
  for (std::size_t s = 0; s < 10; ++s) {
    EXPECT_EQ(found[s].front().target, static_cast<std::int32_t>(2 * s + 1));
    EXPECT_GT(found[s].front().probability, 0.5F);
    EXPECT_TRUE(std::is_sorted(found[s].begin(), found[s].end(),
                               [](const PieceTranslation& a, const PieceTranslation& b) {
                                 return a.probability > b.probability;
                               }));
  }
}

TEST(PieceAlignment, KeepsAsManyAsAskedFor) {
  ThreadPool pool(1);
  const auto found = align_pieces(pieces_of(dictionary_pairs(400)), {.kept = 2}, pool);
  for (std::size_t s = 0; s < 10; ++s) {
    EXPECT_LE(found[s].size(), 2U);
    EXPECT_EQ(found[s].front().target, static_cast<std::int32_t>(2 * s + 1));
  }
}

TEST(PieceAlignment, DoesNotDependOnTheThreads) {
  ThreadPool one(1);
  ThreadPool two(2);
  const PiecePairs pieces = pieces_of(dictionary_pairs(100));
  const auto alone = align_pieces(pieces, {}, one);
  const auto shared = align_pieces(pieces, {}, two);
  ASSERT_EQ(alone.size(), shared.size());
  for (std::size_t s = 0; s < alone.size(); ++s) {
    ASSERT_EQ(alone[s].size(), shared[s].size());
    for (std::size_t i = 0; i < alone[s].size(); ++i) {
      EXPECT_EQ(alone[s][i].target, shared[s][i].target);
      EXPECT_EQ(alone[s][i].probability, shared[s][i].probability);
    }
  }
}

TEST(PieceAlignment, KnowsTheEdges) {
  ThreadPool pool(1);
  PiecePairs pieces(3, 4);
  EXPECT_EQ(align_pieces(pieces, {}, pool).size(), 3U);
  pieces.add({}, {});
  pieces.add({}, {2});
  pieces.add({1}, {});
  const auto found = align_pieces(pieces, {}, pool);
  EXPECT_TRUE(found[0].empty());
  EXPECT_TRUE(found[1].empty());
  pieces.add({1}, {3});
  EXPECT_EQ(align_pieces(pieces, {}, pool)[1].front().target, 3);
}

TEST(PieceAlignment, RefusesWhatItCannotTake) {
  PiecePairs pieces(3, 4);
  EXPECT_EQ(message_of<InvalidArgument>([&] { pieces.add({3}, {0}); }),
            "align: sentence 1 has the source id 3, outside the vocabulary of 3 pieces");
  EXPECT_EQ(message_of<InvalidArgument>([&] { pieces.add({0}, {4}); }),
            "align: sentence 1 has the target id 4, outside the vocabulary of 4 pieces");
  ThreadPool pool(1);
  EXPECT_EQ(message_of<InvalidArgument>([&] { align_pieces(pieces, {.iterations = 0}, pool); }),
            "align: 0 iterations that keep 400 translations find nothing");
}

}  // namespace
}  // namespace yona::testing
