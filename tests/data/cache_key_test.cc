// A key changes with everything that a cache depends on, and with nothing else.

#include "yona/data/cache_key.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/data/sample_corpus.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::sample_corpus;
using testing::sample_subwords;
using testing::TempDir;
using testing::write_bytes;

void set_change_time(const std::filesystem::path& path, timespec time) {
  const timespec times[2] = {time, time};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

TEST(CacheKey, IsTheSameForTheSameInputs) {
  const TempDir folder;
  const CorpusSpec spec = sample_corpus(folder.path(), "a", 3);
  const CacheKey key = cache_key(spec, sample_subwords(), {});
  EXPECT_EQ(cache_key(spec, sample_subwords(), {}).text, key.text);
  EXPECT_THAT(key.file_name, ::testing::MatchesRegex("a-[0-9a-f]{16}\\.tokens"));
}

TEST(CacheKey, DependsOnWhatStandsAroundATextWhereThatIsNotTheUsual) {
  const TempDir folder;
  const CorpusSpec spec = sample_corpus(folder.path(), "a", 3);
  const SubwordPair subwords = sample_subwords();
  const TextFrame frame{.after_source = {0}, .after_target = {0}};
  const std::string usual = cache_key(spec, subwords, {}).file_name;
  EXPECT_EQ(cache_key(spec, PairEncoder(subwords, frame, ""), {}).file_name, usual);
  const std::string framed = cache_key(spec, PairEncoder(subwords, frame, "a"), {}).file_name;
  EXPECT_NE(framed, usual);
  EXPECT_NE(cache_key(spec, PairEncoder(subwords, frame, "b"), {}).file_name, framed);
  TextFrame other = frame;
  other.before_target = {5};
  EXPECT_NE(cache_key(spec, PairEncoder(subwords, other, "a"), {}).file_name, framed);
}

TEST(CacheKey, DependsOnEveryOption) {
  const TempDir folder;
  const CorpusSpec spec = sample_corpus(folder.path(), "a", 3);
  const std::string before = cache_key(spec, sample_subwords(), {}).file_name;
  const auto differs = [&](const CorpusSpec& other, const TokenizeOptions& options = {}) {
    return cache_key(other, sample_subwords(), options).file_name != before;
  };
  EXPECT_TRUE(differs(spec, {.max_length = 100}));
  EXPECT_TRUE(differs(spec, {.content = CacheContent::text}));
  CorpusSpec other = spec;
  other.source_tags = {"<BT>"};
  EXPECT_TRUE(differs(other));
  other = spec;
  other.columns.weight = 3;
  EXPECT_TRUE(differs(other));
  other = spec;
  std::swap(other.source_files, other.target_files);
  EXPECT_TRUE(differs(other));
  EXPECT_NE(cache_key(spec, sample_subwords(SubwordAlgorithm::unigram), {}).file_name, before);
  other = spec;
  other.weight = 2;  // matters to batches, not to tokens
  EXPECT_FALSE(differs(other));
}

TEST(CacheKey, SeesAChangeOfContentWithSizeAndTimeUnchanged) {
  const TempDir folder;
  const CorpusSpec spec = sample_corpus(folder.path(), "a", 100);
  const timespec time{1700000000, 5};
  set_change_time(spec.source_files[0], time);
  const CacheKey before = cache_key(spec, sample_subwords(), {});
  std::string text = testing::read_bytes(spec.source_files[0]);
  text[text.size() / 2] = text[text.size() / 2] == 'a' ? 'b' : 'a';
  write_bytes(spec.source_files[0], text);
  set_change_time(spec.source_files[0], time);
  const CacheKey after = cache_key(spec, sample_subwords(), {});
  EXPECT_NE(after.text, before.text);
  EXPECT_EQ(after.file_name, before.file_name);  // so that the new cache replaces the old one
}

TEST(CacheKey, SeesATouchedFile) {
  const TempDir folder;
  const CorpusSpec spec = sample_corpus(folder.path(), "a", 3);
  set_change_time(spec.source_files[0], {1700000000, 5});
  const CacheKey before = cache_key(spec, sample_subwords(), {});
  set_change_time(spec.source_files[0], {1700000000, 6});
  EXPECT_NE(cache_key(spec, sample_subwords(), {}).text, before.text);
}

TEST(CacheKey, MakesSafeFileNames) {
  const TempDir folder;
  CorpusSpec spec = sample_corpus(folder.path(), "a", 3);
  spec.name = "../News crawl/" + std::string(300, 'x');
  const std::string name = cache_key(spec, sample_subwords(), {}).file_name;
  EXPECT_LT(name.size(), 80U);
  EXPECT_TRUE(name.starts_with("___News_crawl_xxx"));
}

TEST(CacheKey, MissingInputsAreIoErrors) {
  const TempDir folder;
  CorpusSpec spec = sample_corpus(folder.path(), "a", 3);
  spec.target_files = {folder / "none"};
  EXPECT_THAT(message_of<IoError>([&] { cache_key(spec, sample_subwords(), {}); }),
              HasSubstr("none: No such file or directory"));
  spec.target_files = {folder.path()};
  EXPECT_THAT(message_of<IoError>([&] { cache_key(spec, sample_subwords(), {}); }),
              HasSubstr("Is a directory"));
}

}  // namespace
}  // namespace yona
