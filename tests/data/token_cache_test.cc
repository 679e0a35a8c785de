// The cache against the text it was made from; stale, cut, damaged, contested and homeless caches.

#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/pair_cache.h"

#include "tests/data/sample_corpus.h"
#include "tests/harness/file_size_limit.h"
#include "tests/harness/sanitized.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using testing::FileSizeLimit;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::message_of;
using testing::read_bytes;
using testing::sample_corpus;
using testing::sample_subwords;
using testing::TempDir;
using testing::write_bytes;

class TokenCacheTest : public ::testing::Test {
 protected:
  TokenCache open(const CorpusSpec& spec, const TokenizeOptions& options = {}) {
    return open_pair_cache(spec, sample_subwords(), options, cache_folder(), pool_);
  }
  std::filesystem::path cache_folder() const { return folder_ / "cache"; }
  CorpusSpec tsv(std::string_view content) {
    write_bytes(folder_ / "t.tsv", content);
    CorpusSpec spec;
    spec.name = "t";
    spec.tsv_files = {folder_ / "t.tsv"};
    return spec;
  }
  // Names in the cache folder, lock files aside.
  std::vector<std::string> cache_files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(cache_folder())) {
      if (entry.path().extension() != ".lock") {
        names.push_back(entry.path().filename().string());
      }
    }
    return names;
  }

  TempDir folder_;
  ThreadPool pool_{2};
};

std::vector<std::int32_t> encoded(std::string_view line, std::vector<std::int32_t> ids = {}) {
  sample_subwords().source.encode(line, ids);
  ids.push_back(0);
  return ids;
}

std::vector<std::int32_t> source_ids(const TokenCache& cache, std::uint64_t pair) {
  std::vector<std::int32_t> ids;
  cache.append(pair, kSource, ids);
  return ids;
}

std::vector<std::int32_t> target_ids(const TokenCache& cache, std::uint64_t pair) {
  std::vector<std::int32_t> ids;
  cache.append(pair, kTarget, ids);
  return ids;
}

TEST_F(TokenCacheTest, HoldsTheIdsOfEveryPair) {
  const CorpusSpec spec = sample_corpus(folder_.path(), "a", 300);
  const TokenCache cache = open(spec);
  EXPECT_TRUE(cache.was_built());
  ASSERT_EQ(cache.examples(), 300U);
  PairReader reader(spec);
  TextPair pair;
  for (std::uint64_t at = 0; reader.next(pair); ++at) {
    ASSERT_EQ(source_ids(cache, at), encoded(pair.source));
    ASSERT_EQ(target_ids(cache, at), encoded(pair.target));
    ASSERT_EQ(cache.tokens(at, kSource), encoded(pair.source).size());
    ASSERT_EQ(cache.tokens(at, kTarget), encoded(pair.target).size());
    ASSERT_EQ(cache.line(at), at);
    ASSERT_EQ(cache.weight(at), 1.0F);
    ASSERT_EQ(cache.document(at), 0U);
  }
  EXPECT_THAT(cache.report().summary(), ElementsAre("a: 300 sentence pairs from 300 lines"));
}

TEST_F(TokenCacheTest, IsUsedAgainWithItsReport) {
  const CorpusSpec spec = tsv("one\teins\n\tzwei\nthree\tdrei\n");
  const std::vector<std::string> summary = open(spec).report().summary();
  const TokenCache again = open(spec);
  EXPECT_FALSE(again.was_built());
  EXPECT_EQ(again.report().summary(), summary);
  EXPECT_EQ(again.examples(), 2U);
  EXPECT_EQ(again.line(1), 2U);
}

TEST_F(TokenCacheTest, LeavesOutAndCountsEmptyAndOverlongPairs) {
  CorpusSpec spec = tsv("a\tb\n \tb\na\t\n" + std::string(100, 'q') + "\tb\na\tb\n");
  const TokenCache cache = open(spec, {.max_length = 20});
  EXPECT_EQ(cache.examples(), 2U);
  EXPECT_EQ(cache.line(1), 4U);
  EXPECT_EQ(cache.report().empty.count, 2U);
  EXPECT_EQ(cache.report().too_long.count, 1U);
  EXPECT_THAT(cache.report().too_long.first[0], HasSubstr("t.tsv:4"));
}

TEST_F(TokenCacheTest, TheLimitCountsTagsAndEnd) {
  CorpusSpec spec = tsv("my sister\tb\n");
  spec.source_tags = {"<BT>"};
  const auto length = static_cast<std::int64_t>(encoded("my sister").size()) + 1;
  EXPECT_EQ(open(spec, {.max_length = length}).examples(), 1U);
  EXPECT_THROW(open(spec, {.max_length = length - 1}), FormatError);
}

TEST_F(TokenCacheTest, PutsTagsInFrontOfEachSide) {
  CorpusSpec spec = tsv("my sister\tder Nachbar\n");
  spec.source_tags = {"<BT>", ">>de<<"};
  spec.target_tags = {">>de<<"};
  const TokenCache cache = open(spec);
  EXPECT_EQ(source_ids(cache, 0), encoded("my sister", {2, 3}));
  EXPECT_EQ(target_ids(cache, 0), encoded("der Nachbar", {3}));
  spec.source_tags = {"<XX>"};
  EXPECT_THAT(message_of<InvalidArgument>([&] { open(spec); }),
              HasSubstr("tag '<XX>' is not in the vocabulary"));
}

TEST_F(TokenCacheTest, KeepsWeightsAndDocuments) {
  CorpusSpec spec = tsv("a\tb\t0.5\td1\na\tb\t1\td1\na\tb\t3\td2\n");
  spec.columns = {.source = 1, .target = 2, .weight = 3, .document = 4};
  const TokenCache cache = open(spec);
  EXPECT_EQ(cache.weight(0), 0.5F);
  EXPECT_EQ(cache.weight(1), 1.0F);
  EXPECT_EQ(cache.weight(2), 3.0F);
  EXPECT_NE(cache.document(0), 0U);
  EXPECT_EQ(cache.document(1), cache.document(0));
  EXPECT_NE(cache.document(2), cache.document(0));
}

TEST_F(TokenCacheTest, HoldsTextWhenSubwordsAreSampled) {
  const CorpusSpec spec = tsv("my sister\tder Nachbar\na\tb\n");
  const TokenCache cache = open(spec, {.content = CacheContent::text});
  EXPECT_EQ(cache.text(0, kSource), "my sister");
  EXPECT_EQ(cache.text(0, kTarget), "der Nachbar");
  EXPECT_EQ(cache.text(1, kSource), "a");
  EXPECT_EQ(cache.tokens(0, kSource), encoded("my sister").size());
  std::vector<std::int32_t> ids;
  EXPECT_THAT(message_of<InvalidArgument>([&] { cache.append(0, kSource, ids); }),
              HasSubstr("holds text"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { open(spec).text(0, kSource); }),
              HasSubstr("holds ids"));
}

TEST_F(TokenCacheTest, HoldsIdsAbove65535WhenTheVocabularyIsLarge) {
  std::vector<std::string> pieces = {"</s>", "<unk>"};
  for (int filler = 0; filler < 70000; ++filler) {
    pieces.push_back("filler" + std::to_string(filler));
  }
  const Subword& own = sample_subwords().source;
  for (std::int32_t id = 2; id < own.vocabulary().size(); ++id) {
    pieces.push_back(own.vocabulary().piece(id));
  }
  const Subword wide(own.model(), std::make_shared<const Vocabulary>(pieces));
  const CorpusSpec spec = tsv("my sister\tder Nachbar\n");
  const TokenCache cache =
      open_pair_cache(spec, SubwordPair{wide, wide}, {}, cache_folder(), pool_);
  std::vector<std::int32_t> expected;
  wide.encode("my sister", expected);
  expected.push_back(0);
  EXPECT_GT(expected[0], 65535);
  EXPECT_EQ(source_ids(cache, 0), expected);
}

TEST_F(TokenCacheTest, HasTheSameBytesForAnyNumberOfThreads) {
  const CorpusSpec spec = sample_corpus(folder_.path(), "a", 1000);
  ThreadPool one(1);
  const std::string bytes =
      read_bytes(open_pair_cache(spec, sample_subwords(), {}, folder_ / "c1", one).path());
  EXPECT_EQ(read_bytes(open(spec).path()), bytes);
}

TEST_F(TokenCacheTest, IsMadeAgainWhenAFileChangesWithTheSameSize) {
  const CorpusSpec spec = tsv("my sister\tder Nachbar\n");
  open(spec);
  tsv("my sistex\tder Nachbar\n");
  const TokenCache cache = open(spec);
  EXPECT_TRUE(cache.was_built());
  EXPECT_EQ(source_ids(cache, 0), encoded("my sistex"));
  EXPECT_EQ(cache_files().size(), 1U);
}

TEST_F(TokenCacheTest, TheDigestNamesThePairsAndNotTheFile) {
  const std::string digest = open(tsv("a house\tein Haus\ntwo\tzwei\n")).digest();
  std::filesystem::last_write_time(folder_ / "t.tsv",
                                   std::filesystem::file_time_type::clock::now());
  EXPECT_EQ(open(tsv("a house\tein Haus\ntwo\tzwei\n")).digest(), digest);
  EXPECT_NE(open(tsv("a house\tein Haus\ntwo\tdrei\n")).digest(), digest);
  EXPECT_NE(open(tsv("two\tzwei\na house\tein Haus\n")).digest(), digest);
}

TEST_F(TokenCacheTest, IsMadeAgainWhenCutOrDamagedAnywhere) {
  const CorpusSpec spec = tsv("my sister\tder Nachbar\na\tb\n");
  const std::filesystem::path path = open(spec).path();
  const std::string good = read_bytes(path);
  const auto answer = [&](const std::string& bytes) {
    write_bytes(path, bytes);
    const TokenCache cache = open(spec);
    EXPECT_EQ(source_ids(cache, 0), encoded("my sister"));
    return cache.was_built();
  };
  for (const std::size_t size : {0UL, 7UL, 100UL, good.size() / 2, good.size() - 1}) {
    EXPECT_TRUE(answer(good.substr(0, size))) << size;
  }
  EXPECT_TRUE(answer(good + "x"));
  EXPECT_TRUE(answer("x" + good));
  for (std::size_t at = 8; at < good.size(); at += 13) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    // The few bytes of padding behind the payload mean nothing and may change unseen.
    if (!answer(bad)) {
      EXPECT_EQ(good[at], '\0') << at;
    }
  }
  EXPECT_FALSE(answer(good));
}

// Checksums protect against accidents, not against a file that was made to be wrong.
TEST_F(TokenCacheTest, IsMadeAgainWhenPairsLieOutsideThoughTheChecksumsAreRight) {
  const CorpusSpec spec = sample_corpus(folder_.path(), "c", 10);
  const std::filesystem::path path = open(spec).path();
  const std::string good = read_bytes(path);
  const auto with = [&](const std::function<void(std::string&, TokenCacheFooter&)>& change) {
    std::string bytes = good;
    TokenCacheFooter footer;
    std::memcpy(&footer, bytes.data() + bytes.size() - sizeof footer, sizeof footer);
    change(bytes, footer);
    const TokenCacheLayout layout(footer);
    if (layout.file_bytes == bytes.size() && layout.offsets <= layout.footer) {
      footer.index_checksum =
          checksum(std::string_view(bytes).substr(layout.offsets, layout.footer - layout.offsets));
    }
    footer.footer_checksum = checksum(
        {reinterpret_cast<const char*>(&footer), offsetof(TokenCacheFooter, footer_checksum)});
    std::memcpy(bytes.data() + bytes.size() - sizeof footer, &footer, sizeof footer);
    write_bytes(path, bytes);
    EXPECT_TRUE(open(spec).was_built());
  };
  with([](std::string& bytes, const TokenCacheFooter& footer) {  // far behind the end
    const std::uint64_t far = std::uint64_t{1} << 40U;
    std::memcpy(bytes.data() + TokenCacheLayout(footer).offsets, &far, sizeof far);
  });
  with([](std::string& bytes, const TokenCacheFooter& footer) {  // offset and length wrap around
    const std::uint64_t last = ~std::uint64_t{0};
    std::memcpy(bytes.data() + TokenCacheLayout(footer).offsets, &last, sizeof last);
  });
  with([](std::string&, TokenCacheFooter& footer) {  // a size that wraps around to the right one
    footer.elements += std::uint64_t{1} << 63U;
  });
  with([](std::string& bytes, const TokenCacheFooter& footer) {
    bytes[TokenCacheLayout(footer).report] = '[';
  });
}

TEST_F(TokenCacheTest, ABuilderKilledHalfWayLeavesNothingThatIsTrusted) {
  const CorpusSpec spec = sample_corpus(folder_.path(), "a", 3000);
  const pid_t child = ::fork();
  if (child == 0) {
    ThreadPool pool(1);
    open_pair_cache(spec, sample_subwords(), {}, cache_folder(), pool);
    ::_exit(0);
  }
  for (int wait = 0; wait < 2000 && !std::filesystem::exists(cache_folder()); ++wait) {
    ::usleep(500);
  }
  ::usleep(3000);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  const TokenCache cache = open(spec);
  EXPECT_EQ(cache.examples(), 3000U);
  EXPECT_THAT(cache_files(), ElementsAre(cache.path().filename().string()));
}

TEST_F(TokenCacheTest, TwoBuildersAtOnceMakeOneCache) {
  const CorpusSpec spec = sample_corpus(folder_.path(), "a", 2000);
  std::vector<pid_t> children;
  for (int builder = 0; builder < 3; ++builder) {
    const pid_t child = ::fork();
    if (child == 0) {
      int result = 1;
      try {
        ThreadPool pool(1);
        const TokenCache cache = open_pair_cache(spec, sample_subwords(), {}, cache_folder(), pool);
        result = cache.examples() == 2000U ? (cache.was_built() ? 10 : 20) : 1;
      } catch (const Error&) {
      }
      ::_exit(result);
    }
    children.push_back(child);
  }
  int built = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_THAT(WEXITSTATUS(status), ::testing::AnyOf(10, 20));
    built += WEXITSTATUS(status) == 10 ? 1 : 0;
  }
  EXPECT_EQ(built, 1);
  EXPECT_EQ(cache_files().size(), 1U);
}

TEST_F(TokenCacheTest, TwoThreadsAtOnceMakeOneCache) {
  const CorpusSpec spec = sample_corpus(folder_.path(), "a", 500);
  std::atomic<int> built{0};
  std::vector<std::thread> threads;
  for (int builder = 0; builder < 3; ++builder) {
    threads.emplace_back([&] { built += open(spec).was_built() ? 1 : 0; });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(built.load(), 1);
}

TEST_F(TokenCacheTest, AFullDiskIsAnIoErrorAndLeavesNoPart) {
  const CorpusSpec spec = sample_corpus(folder_.path(), "a", 500);
  std::string message;
  {
    const FileSizeLimit limit(5000);
    message = message_of<IoError>([&] { open(spec); });
  }
  EXPECT_THAT(message, HasSubstr("cannot write " + cache_folder().string()));
  EXPECT_THAT(cache_files(), IsEmpty());
  EXPECT_EQ(open(spec).examples(), 500U);
}

TEST_F(TokenCacheTest, AFullDiskKeepsTheOldCacheFileUntouched) {
  const CorpusSpec spec = sample_corpus(folder_.path(), "a", 500);
  const std::filesystem::path path = open(spec).path();
  const std::string before = read_bytes(path);
  sample_corpus(folder_.path(), "a", 500, 2);
  {
    const FileSizeLimit limit(5000);
    EXPECT_THROW(open(spec), IoError);
  }
  EXPECT_EQ(read_bytes(path), before);
}

TEST_F(TokenCacheTest, AnUnusableFolderIsAnIoError) {
  write_bytes(folder_ / "cache", "a file in its place");
  EXPECT_THAT(message_of<IoError>([&] { open(tsv("a\tb\n")); }),
              HasSubstr("cannot create cache folder"));
}

TEST_F(TokenCacheTest, ACorpusWithoutAUsablePairIsAnErrorThatSaysWhy) {
  const std::string message =
      message_of<FormatError>([&] { open(tsv("\tb\nshort\n\xFF\tb\n"), {.max_length = 9}); });
  EXPECT_EQ(message,
            "corpus t: none of its 3 lines is usable (1 empty, 0 longer than 9 tokens, 1 not "
            "UTF-8, 1 malformed); check the files, their columns and data.max_length");
  EXPECT_THAT(message_of<FormatError>([&] { open(tsv("")); }), HasSubstr("none of its 0 lines"));
  EXPECT_THAT(cache_files(), IsEmpty());
  EXPECT_THAT(message_of<InvalidArgument>([&] { open(tsv("a\tb\n"), {.max_length = 1}); }),
              HasSubstr("max_length is 1; it must be 2 or more"));
}

TEST_F(TokenCacheTest, BuildingTakesBoundedMemory) {
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer's memory cannot be told from the program's";
  }
  {
    std::ofstream out(folder_ / "t.tsv");
    for (int line = 0; line < 60000; ++line) {
      out << "my sister " << line << "\tder Nachbar liebt das Buch " << line << '\n';
    }
  }
  CorpusSpec spec;
  spec.tsv_files = {folder_ / "t.tsv"};
  CorpusSpec warm = sample_corpus(folder_.path(), "warm", 9000);
  open(warm);
  rusage before{};
  ::getrusage(RUSAGE_SELF, &before);
  const TokenCache cache = open(spec);
  rusage after{};
  ::getrusage(RUSAGE_SELF, &after);
  EXPECT_EQ(cache.examples(), 60000U);
  // The mapped file itself counts as resident once it has been verified.
  const auto mapped = static_cast<long>(std::filesystem::file_size(cache.path()) / 1024);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 2 * mapped + 24 * 1024);
}

}  // namespace
}  // namespace yona
