// Caches with other numbers of sides than a pair's.

#include "yona/data/token_cache_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/data/token_cache.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;

TokenCache::Source source_of(std::vector<std::int32_t> vocabularies,
                             const std::vector<std::vector<std::vector<std::int32_t>>>& examples) {
  TokenCache::Source source;
  source.key = {"test.tokens", "key"};
  source.vocabularies = std::move(vocabularies);
  source.write = [examples](TokenCacheWriter& writer) {
    for (const auto& sides : examples) {
      TokenCacheWriter::Example example{.line = writer.examples() + 10};
      std::copy(sides.begin(), sides.end(), example.ids.begin());
      writer.add(example);
    }
    return CorpusReport{};
  };
  return source;
}

std::vector<std::int32_t> ids_of(const TokenCache& cache, std::uint64_t example, std::size_t side) {
  std::vector<std::int32_t> ids;
  cache.append(example, side, ids);
  return ids;
}

TEST(TokenCacheWriter, KeepsOneSideOfText) {
  const testing::TempDir folder;
  const TokenCache cache =
      TokenCache::open(source_of({100000}, {{{5, 99999}}, {{7}}, {{}}}), folder.path());
  EXPECT_EQ(cache.sides(), 1U);
  ASSERT_EQ(cache.examples(), 3U);
  EXPECT_THAT(ids_of(cache, 0, 0), ElementsAre(5, 99999));
  EXPECT_THAT(ids_of(cache, 1, 0), ElementsAre(7));
  EXPECT_THAT(ids_of(cache, 2, 0), ElementsAre());
  EXPECT_EQ(cache.line(2), 12U);
}

TEST(TokenCacheWriter, KeepsFourSides) {
  const testing::TempDir folder;
  const TokenCache cache = TokenCache::open(
      source_of({9, 9, 2, 3}, {{{1, 2}, {3}, {1}, {0, 1, 2}}, {{4}, {5, 6}, {0}, {2}}}),
      folder.path());
  EXPECT_THAT(ids_of(cache, 0, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(ids_of(cache, 1, 1), ElementsAre(5, 6));
  EXPECT_THAT(ids_of(cache, 1, 2), ElementsAre(0));
  EXPECT_EQ(cache.tokens(1, 1), 2U);
  EXPECT_FALSE(TokenCache::open(source_of({9, 9, 2, 3}, {}), folder.path()).was_built());
}

TEST(TokenCacheWriter, ACacheWithOtherSidesIsMadeAgain) {
  const testing::TempDir folder;
  TokenCache::open(source_of({9, 9}, {{{1}, {2}}}), folder.path());
  const TokenCache cache = TokenCache::open(source_of({9}, {{{3}}}), folder.path());
  EXPECT_TRUE(cache.was_built());
  EXPECT_THAT(ids_of(cache, 0, 0), ElementsAre(3));
}

}  // namespace
}  // namespace yona
