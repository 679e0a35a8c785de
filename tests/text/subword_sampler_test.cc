// The samplers against the library's own segmentation, against exact probabilities, and for being
// functions of their key.

#include "yona/text/subword_sampler.h"

#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "yona/text/subword.h"

#include "tests/text/sample_text.h"

namespace yona {
namespace {

using testing::encode;
using testing::sample_model;
using testing::sample_sentences;

std::vector<std::int32_t> sample(const Subword& subword, std::string_view line, double alpha,
                                 std::uint64_t key) {
  std::vector<std::int32_t> ids;
  subword.sample(line, alpha, key, ids);
  return ids;
}

const std::vector<std::string> kHard = {
    "",         "<BT> my sister",      "a <BT> inside",  "漢字 😀", "x▁▁y", std::string("a\0b", 3),
    "\xFF bad", "unknownwordsnotseen", "  two  spaces  "};

TEST(BpeDropout, WithoutDropoutIsTheLibrarysSegmentation) {
  const Subword subword(sample_model(SubwordAlgorithm::bpe, 600, {"<BT>"}));
  for (const auto& lines : {sample_sentences(100, 3), kHard}) {
    for (const std::string& line : lines) {
      EXPECT_EQ(sample(subword, line, 0, 1), encode(subword, line)) << line;
    }
  }
}

TEST(BpeDropout, FullDropoutGivesSingleCharactersAndSameText) {
  const Subword subword(sample_model(SubwordAlgorithm::bpe, 600));
  const std::vector<std::int32_t> ids = sample(subword, "my sister", 1, 1);
  EXPECT_EQ(ids.size(), 10U);  // nine characters and the space in front
  EXPECT_EQ(subword.decode(ids), "my sister");
}

TEST(UnigramSampling, WithALargeExponentIsTheLibrarysSegmentation) {
  const Subword subword(sample_model(SubwordAlgorithm::unigram, 500, {"<BT>"}));
  for (const auto& lines : {sample_sentences(100, 3), kHard}) {
    for (const std::string& line : lines) {
      EXPECT_EQ(sample(subword, line, 1e5, 1), encode(subword, line)) << line;
    }
  }
}

// Every segmentation of a word with its probability, by brute force.
void enumerate(const SpmFile& file, std::string_view text, double log_weight, double alpha,
               std::vector<int> ids, std::map<std::vector<int>, double>& weights) {
  if (text.empty()) {
    weights[ids] = std::exp(log_weight);
    return;
  }
  for (std::size_t id = 0; id < file.pieces.size(); ++id) {
    const SpmPiece& piece = file.pieces[id];
    if (piece.kind == SpmPiece::Kind::normal && text.starts_with(piece.text)) {
      ids.push_back(static_cast<int>(id));
      enumerate(file, text.substr(piece.text.size()), log_weight + alpha * piece.score, alpha, ids,
                weights);
      ids.pop_back();
    }
  }
}

TEST(UnigramSampling, DrawsEachSegmentationAsOftenAsItsProbabilitySays) {
  const SpmFile file = parse_spm(sample_model(SubwordAlgorithm::unigram, 500), "m");
  constexpr double kAlpha = 0.3;
  std::map<std::vector<int>, double> weights;
  enumerate(file, "▁sister", 0, kAlpha, {}, weights);
  ASSERT_GT(weights.size(), 3U);
  double total = 0;
  for (const auto& [ids, weight] : weights) {
    total += weight;
  }
  const SubwordSampler sampler(file);
  constexpr int kDraws = 20000;
  std::map<std::vector<int>, int> counts;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<int> ids;
    RandomSequence random(static_cast<std::uint64_t>(draw));
    sampler.sample("▁sister", kAlpha, random, ids);
    ++counts[ids];
  }
  for (const auto& [ids, weight] : weights) {
    const double p = weight / total;
    const double sigma = std::sqrt(p * (1 - p) * kDraws);
    EXPECT_NEAR(counts[ids], p * kDraws, 5 * sigma + 1);
  }
}

class SamplingTest : public ::testing::TestWithParam<SubwordAlgorithm> {};

TEST_P(SamplingTest, IsAFunctionOfItsKeyAlone) {
  const Subword subword(sample_model(GetParam(), 500));
  const std::string line = sample_sentences(1, 4)[0];
  std::set<std::vector<std::int32_t>> seen;
  for (std::uint64_t key = 0; key < 50; ++key) {
    const std::vector<std::int32_t> ids = sample(subword, line, 0.3, key);
    sample(subword, "something else in between", 0.3, key + 1);
    EXPECT_EQ(sample(subword, line, 0.3, key), ids);
    EXPECT_EQ(subword.decode(ids), line);
    seen.insert(ids);
  }
  EXPECT_GT(seen.size(), 20U);
}

TEST_P(SamplingTest, NeverCutsATag) {
  const Subword subword(sample_model(GetParam(), 500, {"<BT>", ">>de<<"}));
  for (std::uint64_t key = 0; key < 50; ++key) {
    const std::vector<std::int32_t> ids = sample(subword, ">>de<< my <BT> sister", 0.5, key);
    EXPECT_EQ(ids.front(), subword.tag(">>de<<"));
    EXPECT_EQ(std::count(ids.begin(), ids.end(), subword.tag("<BT>")), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, SamplingTest,
                         ::testing::Values(SubwordAlgorithm::bpe, SubwordAlgorithm::unigram),
                         [](const auto& test) { return std::string(name_of(test.param)); });

}  // namespace
}  // namespace yona
