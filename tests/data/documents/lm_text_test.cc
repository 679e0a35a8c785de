#include "yona/data/documents/lm_text.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/io/causal_lm/lm_tokenizer.h"

#include "tests/harness/lm_folder.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::int32_t kEnd = 0;  // <|endoftext|>

class LmTextTest : public ::testing::Test {
 protected:
  LmTextTest() {
    write_character_tokenizer(folder_.path());
    tokenizer_ = std::make_unique<TextTokenizer>(load_tokenizer(folder_.path(), 40));
  }

  LmTextOptions options(const std::vector<std::string>& files) const {
    LmTextOptions options;
    for (const std::string& file : files) {
      options.files.emplace_back(folder_ / file);
    }
    options.end_id = kEnd;
    options.draws_start = false;
    return options;
  }
  LmTextOptions options(const std::string& text) const {
    write_bytes(folder_ / "t.txt", text);
    return options(std::vector<std::string>{"t.txt"});
  }
  LmText opened(const LmTextOptions& options, int threads = 1) const {
    ThreadPool pool(threads);
    const TempDir cache;
    return LmText::open(options, *tokenizer_, cache.path(), pool);
  }
  static Batch filled(const LmText& text, const Examples::Draw& draw = {}) {
    std::vector<std::uint32_t> all(text.count());
    std::iota(all.begin(), all.end(), 0U);
    Batch batch;
    text.fill(all, 1 << 20, draw, batch);
    return batch;
  }
  std::string letters(const Side& side, std::size_t example) const {
    std::string text;
    for (auto i = side.offsets[example]; i < side.offsets[example + 1]; ++i) {
      const std::int32_t id = side.ids[static_cast<std::size_t>(i)];
      text += id == kEnd ? "|" : tokenizer_->bytes(id);
    }
    return text;
  }
  std::vector<std::string> letters(const Side& side) const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i + 1 < side.offsets.size(); ++i) {
      texts.push_back(letters(side, i));
    }
    return texts;
  }

  TempDir folder_;
  std::unique_ptr<TextTokenizer> tokenizer_;
};

// x = data[i : i + block], y = data[i + 1 : i + 1 + block], as nanoGPT's train.py has it: of n
// tokens n - 1 are predicted, each once.
TEST_F(LmTextTest, AStreamIsCutIntoWindowsThatPredictEveryTokenButTheFirstOnce) {
  LmTextOptions stream = options("abcdefghij");
  stream.context = 4;
  const LmText text = opened(stream);
  EXPECT_EQ(text.tokens(), 11);
  EXPECT_EQ(text.bytes(), 10U);
  const Batch batch = filled(text);
  EXPECT_THAT(letters(batch.sides[0]), ElementsAre("abcd", "efgh", "ij"));
  EXPECT_THAT(letters(batch.sides[1]), ElementsAre("bcde", "fghi", "j|"));
  EXPECT_EQ(text.lengths(2)[0], 2);
}

TEST_F(LmTextTest, DocumentsOfAStreamFollowEachOtherWithAnEndBetweenThem) {
  write_bytes(folder_ / "a.txt", "ab\ncd\n\n");
  write_bytes(folder_ / "b.txt", "ef");
  LmTextOptions stream = options(std::vector<std::string>{"a.txt", "b.txt"});
  EXPECT_THAT(letters(filled(opened(stream)).sides[0]), ElementsAre("ab\ncd\n\n|ef"));
  stream.unit = DocumentUnit::line;
  const LmText lines = opened(stream);
  EXPECT_THAT(letters(filled(lines).sides[0]), ElementsAre("ab|cd|ef"));
  EXPECT_THAT(letters(filled(lines).sides[1]), ElementsAre("b|cd|ef|"));
  EXPECT_EQ(lines.tokens(), 9);
  stream.end_id = -1;
  EXPECT_THAT(letters(filled(opened(stream)).sides[1]), ElementsAre("bcdef"));
}

TEST_F(LmTextTest, DocumentsByThemselvesNeverShareAnExample) {
  LmTextOptions documents = options("abcdefg\nh\n\nijk\n");
  documents.unit = DocumentUnit::line;
  documents.packing = TextPacking::documents;
  documents.context = 4;
  documents.start_id = kEnd;
  const Batch batch = filled(opened(documents));
  EXPECT_THAT(letters(batch.sides[0]), ElementsAre("|abc", "defg", "|h", "|ijk"));
  EXPECT_THAT(letters(batch.sides[1]), ElementsAre("abcd", "efg|", "h|", "ijk|"));
  documents.start_id = -1;
  EXPECT_THAT(letters(filled(opened(documents)).sides[1]), ElementsAre("bcde", "fg|", "|", "jk|"));
}

TEST_F(LmTextTest, AnEpochDrawsWhereItsWindowsBegin) {
  std::string all;
  for (int i = 0; i < 1000; ++i) {
    all += static_cast<char>('a' + i % 26);
  }
  LmTextOptions stream = options(all);
  stream.context = 64;
  stream.draws_start = true;
  const LmText text = opened(stream);
  EXPECT_EQ(text.count(), 1000U / 64U);
  const Batch first = filled(text, {.seed = 1, .epoch = 0});
  EXPECT_EQ(first.sides[0].ids, filled(text, {.seed = 1, .epoch = 0}).sides[0].ids);
  EXPECT_NE(first.sides[0].ids, filled(text, {.seed = 1, .epoch = 1}).sides[0].ids);
  EXPECT_NE(first.sides[0].ids, filled(text, {.seed = 2, .epoch = 0}).sides[0].ids);
  for (std::size_t i = 0; i < text.count(); ++i) {
    EXPECT_EQ(first.sides[0].rows_of(i), 64);
    EXPECT_EQ(letters(first.sides[0], i).substr(1), letters(first.sides[1], i).substr(0, 63));
  }
}

TEST_F(LmTextTest, AnyNumberOfThreadsGivesTheSameTokens) {
  std::string large;
  RandomSequence random(3);
  while (large.size() < 700000) {
    large += static_cast<char>('a' + random.below(26));
    large += random.below(9) == 0 ? "\n" : "";
  }
  LmTextOptions stream = options(large);
  stream.context = 1 << 20;
  const Batch one = filled(opened(stream, 1));
  EXPECT_EQ(one.sides[0].ids.size(), large.size());
  for (const int threads : {2, 3}) {
    EXPECT_EQ(filled(opened(stream, threads)).sides[0].ids, one.sides[0].ids);
  }
}

// Threads encode slices of a text; the tokens are those of the whole.
TEST_F(LmTextTest, SlicesOfATextHaveTheTokensOfTheWhole) {
  std::string large;
  RandomSequence random(5);
  const std::vector<std::string> lines{"Hello world!",     "  indented, it's 12345", "",
                                       "Wörter und 中文…", "trailing spaces  ",      "the end."};
  while (large.size() < 300000) {
    large += lines[random.below(lines.size())] + "\n";
  }
  LmTextOptions stream = options(large);
  stream.end_id = -1;
  stream.context = 1 << 22;
  for (const char* name : {"gpt2", "llama2", "llama2-spm", "llama3", "qwen"}) {
    const auto fixture = std::filesystem::path(YONA_FIXTURES) / "lm_tokenizers" / name;
    const TextTokenizer tokenizer = load_tokenizer(fixture, 1 << 16);
    ThreadPool pool(2);
    const TempDir cache;
    const Batch batch = filled(LmText::open(stream, tokenizer, cache.path(), pool));
    std::vector<std::int32_t> ids = batch.sides[0].ids;
    ids.push_back(batch.sides[1].ids.back());
    EXPECT_TRUE(ids == tokenizer.encode(large)) << name;
  }
}

TEST_F(LmTextTest, TheCacheIsMadeAgainWhenTheTextOrTheTokeniserIsAnother) {
  ThreadPool pool(1);
  const TempDir cache;
  const auto first = [&](const LmTextOptions& options) {
    return letters(filled(LmText::open(options, *tokenizer_, cache.path(), pool)).sides[0], 0);
  };
  EXPECT_EQ(first(options("abc")), "abc");
  EXPECT_EQ(first(options("abc")), "abc");
  EXPECT_EQ(first(options("xyz")), "xyz");
  LmTextOptions other = options("xyz");
  other.tokenizer_identity = "another";
  EXPECT_EQ(first(other), "xyz");
}

TEST_F(LmTextTest, TextWithNothingToPredictIsRefused) {
  EXPECT_THAT(message_of<FormatError>([&] { opened(options("")); }),
              HasSubstr("t.txt: there is no text to read"));
  LmTextOptions blank = options("\n \n\t\n");
  blank.unit = DocumentUnit::line;
  EXPECT_THAT(message_of<FormatError>([&] { opened(blank); }),
              HasSubstr("t.txt: there is no text to read"));
  LmTextOptions single = options("a");
  EXPECT_EQ(filled(opened(single)).sides[0].ids.size(), 1U);
  single.end_id = -1;
  EXPECT_THAT(message_of<FormatError>([&] { opened(single); }),
              HasSubstr("train: a text of 1 token has nothing to predict"));
  single.packing = TextPacking::documents;
  EXPECT_THAT(message_of<FormatError>([&] { opened(single); }),
              HasSubstr("train: no document has two tokens"));
}

}  // namespace
}  // namespace yona::testing
