#include "yona/decode/shortlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/safetensors.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Source 2 may become 4 or 5, source 3 may become 6; 0 may always come.
Shortlist::Parts sample() {
  return {.target_vocabulary = 8,
          .offsets = {0, 0, 0, 2, 3},
          .targets = {5, 4, 6},
          .always = {0},
          .copies = false};
}

TEST(Shortlist, GivesWhatAnyPieceOfTheSourceMayBecome) {
  const Shortlist shortlist(sample());
  EXPECT_THAT(shortlist.candidates({2}), ElementsAre(0, 4, 5));
  EXPECT_THAT(shortlist.candidates({3, 2, 3}), ElementsAre(0, 4, 5, 6));
  EXPECT_THAT(shortlist.candidates({1}), ElementsAre(0));  // never seen
  EXPECT_THAT(shortlist.candidates({}), ElementsAre(0));
}

TEST(Shortlist, LetsPiecesOfOneVocabularyComeOutAsTheyAre) {
  Shortlist::Parts parts = sample();
  parts.copies = true;
  EXPECT_THAT(Shortlist(parts).candidates({1, 3}), ElementsAre(0, 1, 3, 6));
}

TEST(Shortlist, IsReadAsItWasWritten) {
  const TempDir folder;
  Shortlist::Parts parts = sample();
  parts.copies = true;
  const Shortlist shortlist(parts);
  shortlist.save(folder / "lex");
  const Shortlist again = Shortlist::load(folder / "lex");
  EXPECT_EQ(again.source_vocabulary(), 4);
  EXPECT_EQ(again.target_vocabulary(), 8);
  EXPECT_EQ(again.translations(), 3);
  EXPECT_EQ(again.candidates({2, 3}), shortlist.candidates({2, 3}));
  EXPECT_EQ(again.candidates({1}), shortlist.candidates({1}));
}

TEST(Shortlist, RemembersWhoseVocabularyItIsOf) {
  const TempDir folder;
  Shortlist shortlist(sample());
  EXPECT_TRUE(shortlist.is_of("0123"));  // not known: as files from before
  shortlist.save(folder / "before");
  EXPECT_TRUE(Shortlist::load(folder / "before").is_of("0123"));
  shortlist.set_vocabulary("0123");
  shortlist.save(folder / "lex");
  EXPECT_TRUE(Shortlist::load(folder / "lex").is_of("0123"));
  EXPECT_FALSE(Shortlist::load(folder / "lex").is_of("0124"));
  EXPECT_EQ(Shortlist::load(folder / "lex").name(), (folder / "lex").string());
}

TEST(Shortlist, OfNothingCanBeWrittenToo) {
  const TempDir folder;
  Shortlist(Shortlist::Parts{}).save(folder / "lex");
  EXPECT_THAT(Shortlist::load(folder / "lex").candidates({}), ElementsAre());
}

TEST(Shortlist, RefusesFilesThatAreNone) {
  const TempDir folder;
  const auto complaint = [&](const char* name) {
    return message_of<FormatError>([&] { Shortlist::load(folder / name); });
  };
  write_safetensors(folder / "other", {}, {{"format", "pt"}});
  EXPECT_THAT(complaint("other"), HasSubstr("other: not a shortlist of this version of yona"));
  write_safetensors(folder / "empty", {}, {{"format", "yona-shortlist-1"}});
  EXPECT_THAT(complaint("empty"), HasSubstr("it has no list 'sizes'"));
  const std::vector<std::int64_t> one{3};
  const std::vector<NamedArray> arrays{{"sizes", DType::i64, Shape{1}, one.data()}};
  write_safetensors(folder / "one", arrays, {{"format", "yona-shortlist-1"}});
  EXPECT_THAT(complaint("one"), HasSubstr("it has 1 sizes instead of 2"));
  EXPECT_THROW(Shortlist::load(folder / "missing"), IoError);
}

TEST(Shortlist, RefusesPartsThatDoNotFit) {
  const auto complaint = [](const Shortlist::Parts& parts) {
    return message_of<FormatError>([&] { Shortlist(parts, "f"); });
  };
  EXPECT_EQ(complaint({.target_vocabulary = 3, .offsets = {0, 2}, .targets = {1}}),
            "f: the shortlist's parts do not fit together");
  EXPECT_EQ(complaint({.target_vocabulary = 3, .offsets = {0, 2, 1, 2}, .targets = {1, 1}}),
            "f: the shortlist's parts do not fit together");
  EXPECT_EQ(complaint({.target_vocabulary = 3, .offsets = {}, .targets = {}}),
            "f: the shortlist's parts do not fit together");
  EXPECT_EQ(complaint({.target_vocabulary = 3, .offsets = {0, 1}, .targets = {3}}),
            "f: the shortlist has ids beyond its vocabulary of 3");
  EXPECT_EQ(complaint({.target_vocabulary = 3, .offsets = {0}, .targets = {}, .always = {-1}}),
            "f: the shortlist has ids beyond its vocabulary of 3");
  EXPECT_EQ(
      complaint({.target_vocabulary = 1, .offsets = {0, 0, 0}, .targets = {}, .copies = true}),
      "f: the shortlist is of one vocabulary, but has 2 source and 1 target ids");
  const Shortlist shortlist(sample());
  EXPECT_EQ(message_of<InvalidArgument>([&] { shortlist.candidates({4}); }),
            "shortlist: source id 4 is beyond its vocabulary of 4");
}

}  // namespace
}  // namespace yona::testing
