// Both sides' sub-words in a folder, with one vocabulary or two.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/subword.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona {
namespace {

using testing::encode;
using ::testing::HasSubstr;
using testing::message_of;
using testing::sample_model;
using testing::TempDir;

TEST(SubwordPair, ComesBackFromItsFolderSharedOrSeparate) {
  const TempDir folder;
  const Subword bpe(sample_model(SubwordAlgorithm::bpe));
  const Subword unigram(sample_model(SubwordAlgorithm::unigram, 450));
  SubwordPair{bpe, bpe}.save(folder.path());
  SubwordPair loaded = SubwordPair::load(folder.path());
  EXPECT_TRUE(loaded.has_shared_vocabulary());
  EXPECT_FALSE(std::filesystem::exists(folder / "target_vocab.json"));
  EXPECT_EQ(encode(loaded.target, "my sister"), encode(bpe, "my sister"));
  EXPECT_EQ(loaded.with_tags({">>fr<<"}).target.tag(">>fr<<"), 2);
  EXPECT_TRUE(loaded.with_tags({">>fr<<"}).has_shared_vocabulary());

  SubwordPair{bpe, unigram}.save(folder.path());
  loaded = SubwordPair::load(folder.path());
  EXPECT_FALSE(loaded.has_shared_vocabulary());
  EXPECT_EQ(loaded.target.vocabulary(), unigram.vocabulary());
  EXPECT_EQ(encode(loaded.target, "my sister"), encode(unigram, "my sister"));
  EXPECT_THAT(message_of<IoError>([&] { SubwordPair::load(folder / "none"); }),
              HasSubstr("vocab.json"));
}

}  // namespace
}  // namespace yona
