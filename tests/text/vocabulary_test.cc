// vocab.json there and back, and what a hostile one is answered.

#include "yona/text/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::TempDir;

std::string parse_error(std::string_view json) {
  return message_of<FormatError>([&] { Vocabulary::parse(json, "vocab.json"); });
}

TEST(Vocabulary, HasItsSpecialPiecesWhereOpusMtHasThem) {
  const Vocabulary vocabulary({"</s>", "<unk>", "▁a", "b", "<pad>"});
  EXPECT_EQ(vocabulary.size(), 5);
  EXPECT_EQ(vocabulary.end(), 0);
  EXPECT_EQ(vocabulary.unknown(), 1);
  EXPECT_EQ(vocabulary.pad(), 4);
  EXPECT_EQ(vocabulary.id("▁a"), 2);
  EXPECT_EQ(vocabulary.id("zzz"), vocabulary.unknown());
  EXPECT_FALSE(vocabulary.find("zzz").has_value());
  EXPECT_EQ(vocabulary.piece(3), "b");
}

TEST(Vocabulary, ComesBackFromItsFile) {
  const TempDir folder;
  const Vocabulary vocabulary({"</s>", "<unk>", "▁\"quote\"", "\\", "\t", "漢", "<pad>"});
  vocabulary.write(folder / "vocab.json");
  EXPECT_EQ(Vocabulary::read(folder / "vocab.json"), vocabulary);
}

TEST(Vocabulary, HasAFingerprintOfItsPiecesAndTheirOrder) {
  const Vocabulary vocabulary({"</s>", "<unk>", "ab", "c", "<pad>"});
  EXPECT_EQ(vocabulary.fingerprint().size(), 16U);
  EXPECT_EQ(vocabulary.fingerprint(),
            Vocabulary({"</s>", "<unk>", "ab", "c", "<pad>"}).fingerprint());
  EXPECT_NE(vocabulary.fingerprint(),
            Vocabulary({"</s>", "<unk>", "c", "ab", "<pad>"}).fingerprint());
  EXPECT_NE(vocabulary.fingerprint(),
            Vocabulary({"</s>", "<unk>", "a", "bc", "<pad>"}).fingerprint());
}

TEST(Vocabulary, ReadsModelsThatPlaceTheSpecialPiecesElsewhere) {
  const auto vocabulary =
      Vocabulary::parse(R"({"a": 0, "<unk>": 1, "</s>": 3, "<pad>": 2})", "vocab.json");
  EXPECT_EQ(vocabulary.end(), 3);
  EXPECT_EQ(vocabulary.pad(), 2);
}

TEST(Vocabulary, SaysWhatIsWrongWithAFile) {
  EXPECT_THAT(parse_error("[1, 2"), HasSubstr("vocab.json: expected a JSON object"));
  EXPECT_THAT(parse_error(""), HasSubstr("expected a JSON object"));
  EXPECT_THAT(parse_error(R"({"a": "b"})"), HasSubstr("the id of 'a' is \"b\", not a number"));
  EXPECT_THAT(parse_error(R"({"a": [[0]]})"), HasSubstr("the id of 'a' is array, not a number"));
  EXPECT_THAT(parse_error(R"({"a": -1})"), HasSubstr("the id of 'a' is -1, not a number"));
  EXPECT_THAT(parse_error(R"({"a": 0, "b": 0})"), HasSubstr("id 0 of 'b' is taken"));
  EXPECT_THAT(parse_error(R"({"a": 0, "b": 7})"), HasSubstr("id 7 of 'b' is out of range"));
  EXPECT_THAT(parse_error(R"({"</s>": 0, "<unk>": 1})"), HasSubstr("there is no '<pad>' piece"));
  EXPECT_THAT(parse_error("{}"), HasSubstr("there is no '</s>' piece"));
  EXPECT_THAT(message_of<FormatError>([] {
                Vocabulary({"</s>", "</s>"});
              }),
              HasSubstr("'</s>' has two ids, 0 and 1"));
  EXPECT_THAT(message_of<IoError>([] { Vocabulary::read("no/such/vocab.json"); }),
              HasSubstr("no/such/vocab.json"));
  EXPECT_THAT(message_of<InvalidArgument>([] {
                Vocabulary({"</s>", "<unk>", "<pad>"}).piece(3);
              }),
              HasSubstr("id 3 is out of range, there are 3 pieces"));
}

}  // namespace
}  // namespace yona
