#include "yona/study/byte_texts.h"

#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/labelled_texts.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::TempDir;

std::filesystem::path sentences_file(const TempDir& folder, int of_each_label) {
  std::string text = "label\tsentence\n";
  for (int i = 0; i < of_each_label; ++i) {
    text += fmt::format("1\tgood {}\n0\tbad {}\n", i, i);
  }
  const std::filesystem::path file = folder.path() / "train.tsv";
  testing::write_bytes(file, text);
  return file;
}

std::string text_of(const Batch& batch, std::size_t s) {
  const Side& side = batch.sides[kText];
  std::string text;
  for (std::int64_t i = side.offsets[s] + 1; i < side.offsets[s + 1]; ++i) {
    text += static_cast<char>(side.ids[static_cast<std::size_t>(i)]);
  }
  return text;
}

TEST(ByteTexts, AreSentencesOfTheirLabelUpToTheLength) {
  const TempDir folder;
  const ByteTexts texts(sentences_file(folder, 30));
  EXPECT_EQ(texts.labels(), 2);
  const Batch batch = texts.training_batch(6, 40, 3);
  ASSERT_EQ(batch.examples(), 6);
  for (std::size_t s = 0; s < 6; ++s) {
    EXPECT_EQ(batch.sides[kText].rows_of(s), 40);
    EXPECT_EQ(batch.sides[kText].ids[static_cast<std::size_t>(batch.sides[kText].offsets[s])], 256);
    const bool is_good = batch.sides[kLabel].ids[s] == 1;
    EXPECT_EQ(is_good, s % 2 == 1);
    EXPECT_EQ(text_of(batch, s).find(is_good ? "good" : "bad"), 0U);
    EXPECT_EQ(text_of(batch, s).find(is_good ? "bad" : "good"), std::string::npos);
    EXPECT_NE(text_of(batch, s).find('\n'), std::string::npos);
  }
}

TEST(ByteTexts, AreTheSameForTheSameKey) {
  const TempDir folder;
  const ByteTexts texts(sentences_file(folder, 30));
  const auto ids = [&](std::uint64_t key) {
    return texts.training_batch(4, 64, key).sides[kText].ids;
  };
  EXPECT_EQ(ids(5), ids(5));
  EXPECT_NE(ids(5), ids(6));
}

// Of each label the sentences 0, 10 and 20 are held out: "good 0", "good 10", "good 20".
TEST(ByteTexts, TestTextsHaveSentencesOfTheirOwn) {
  const TempDir folder;
  const ByteTexts texts(sentences_file(folder, 30));
  const auto sentences = [](const Batch& batch) {
    std::set<std::string> seen;
    for (std::size_t s = 0; s < static_cast<std::size_t>(batch.examples()); ++s) {
      const std::string text = text_of(batch, s);
      seen.insert(text.substr(0, text.find('\n')));
    }
    return seen;
  };
  EXPECT_EQ(sentences(texts.test_batch(200, 40, 1)),
            (std::set<std::string>{"bad 0", "bad 10", "bad 20", "good 0", "good 10", "good 20"}));
  const std::set<std::string> trained = sentences(texts.training_batch(400, 40, 1));
  EXPECT_EQ(trained.size(), 54U);
  EXPECT_EQ(trained.count("good 10"), 0U);
}

TEST(ByteTexts, RefusesWhatCannotBeLearnt) {
  const TempDir folder;
  const std::filesystem::path file = sentences_file(folder, 9);
  EXPECT_THAT(message_of<FormatError>([&] { ByteTexts{file}; }),
              HasSubstr("train.tsv: the label '0' has 9 sentences; expected 10 or more"));
  testing::write_bytes(file, "label\tsentence\n1\ta\n1\tb\n");
  EXPECT_THAT(message_of<FormatError>([&] { ByteTexts{file}; }),
              HasSubstr("every label is '1'; expected two or more"));
}

}  // namespace
}  // namespace yona
