// Ids there and back, tags, and models whose vocabulary has numbers of its own.

#include "yona/text/subword.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using testing::encode;
using ::testing::HasSubstr;
using testing::message_of;
using testing::sample_model;
using testing::sample_sentences;

class SubwordTest : public ::testing::TestWithParam<SubwordAlgorithm> {};

TEST_P(SubwordTest, DecodingGivesTheTextBack) {
  const Subword subword(sample_model(GetParam()));
  EXPECT_EQ(subword.algorithm(), GetParam());
  for (const std::string& line : sample_sentences(50, 9)) {
    EXPECT_EQ(subword.decode(encode(subword, line)), line);
  }
}

TEST_P(SubwordTest, NothingIsUnknownBecauseBytesAreThere) {
  const Subword subword(sample_model(GetParam()));
  const std::string line = "漢字 😀 \u2028 naïve ½ ＡＢ";
  const std::vector<std::int32_t> ids = encode(subword, line);
  EXPECT_THAT(ids, ::testing::Not(::testing::Contains(subword.vocabulary().unknown())));
  EXPECT_EQ(subword.decode(ids), line);  // full-width letters too: nothing is normalised
}

TEST_P(SubwordTest, EveryIdLiesInTheVocabularyForHostileLines) {
  const Subword subword(sample_model(GetParam()));
  const std::string lines[] = {"",     " ",      "\xFF\xFE", std::string("a\0b", 3),
                               "</s>", "<pad>",  "▁",        std::string(20000, 'x'),
                               "\r",   "<0x41>", "▅",        "\xE2\x96"};
  for (const std::string& line : lines) {
    for (const std::int32_t id : encode(subword, line)) {
      EXPECT_GE(id, 0);
      EXPECT_LT(id, subword.vocabulary().size() - 1);  // never <pad>
      EXPECT_NE(id, subword.vocabulary().end()) << line;
    }
  }
  EXPECT_TRUE(encode(subword, "").empty());
  EXPECT_TRUE(encode(subword, "   ").empty());
}

INSTANTIATE_TEST_SUITE_P(Algorithms, SubwordTest,
                         ::testing::Values(SubwordAlgorithm::bpe, SubwordAlgorithm::unigram),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(Subword, OwnVocabularyIsTheModelsPiecesAndPad) {
  const Subword subword(sample_model(SubwordAlgorithm::bpe, 500));
  const Vocabulary& vocabulary = subword.vocabulary();
  EXPECT_EQ(vocabulary.size(), 500);
  EXPECT_EQ(vocabulary.end(), 0);
  EXPECT_EQ(vocabulary.unknown(), 1);
  EXPECT_EQ(vocabulary.pad(), 499);
}

TEST(Subword, LeadingTagsAreOneIdEachAndChangeNothingElse) {
  const Subword subword(sample_model(SubwordAlgorithm::bpe, 500, {"<BT>", ">>de<<"}));
  std::vector<std::int32_t> expected = {subword.tag("<BT>"), subword.tag(">>de<<")};
  subword.encode("my sister", expected);
  EXPECT_EQ(encode(subword, "<BT> >>de<< my sister"), expected);
  EXPECT_EQ(encode(subword, "<BT>>>de<<my sister"), expected);
  EXPECT_THAT(encode(subword, ">>de<<"), ElementsAre(subword.tag(">>de<<")));
  EXPECT_EQ(subword.tag("<BT>"), 2);
  EXPECT_EQ(subword.tag(">>de<<"), 3);
}

TEST(Subword, EndAndPadLeaveNoTraceInTheText) {
  const Subword subword(sample_model(SubwordAlgorithm::bpe));
  std::vector<std::int32_t> ids = encode(subword, "my sister");
  ids.push_back(subword.vocabulary().end());
  ids.insert(ids.begin(), subword.vocabulary().pad());
  EXPECT_EQ(subword.decode(ids), "my sister");
  EXPECT_EQ(subword.decode({}), "");
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                const std::int32_t id = 99999;
                subword.decode({&id, 1});
              }),
              HasSubstr("id 99999 is out of range"));
}

TEST(Subword, ReservedPiecesTakeNewTagsWithoutMovingAnyId) {
  const Subword before(sample_model(SubwordAlgorithm::bpe, 500, {"<BT>"}));
  const Subword after = before.with_tags({"<BT>", ">>fr<<"});
  EXPECT_EQ(after.tag(">>fr<<"), 3);
  EXPECT_EQ(after.vocabulary().size(), before.vocabulary().size());
  EXPECT_EQ(encode(after, "my sister"), encode(before, "my sister"));
  EXPECT_EQ(encode(after, ">>fr<< my sister").front(), 3);
  EXPECT_EQ(before.with_tags({"<BT>"}).model(), before.model());
}

TEST(Subword, SaysWhenATagCannotBeHad) {
  const Subword subword(sample_model(SubwordAlgorithm::bpe));
  EXPECT_THAT(message_of<InvalidArgument>([&] { subword.tag("<XX>"); }),
              HasSubstr("tag '<XX>' is not in the vocabulary; name it when the sub-words are"));
  for (const char* bad : {"", "a b", "a,b", "\"", "a▁"}) {
    EXPECT_THAT(message_of<InvalidArgument>([&] { subword.with_tags({bad}); }),
                HasSubstr("cannot be a piece"));
  }
  std::vector<std::string> many;
  for (int at = 0; at < 65; ++at) {
    many.push_back(">>x" + std::to_string(at) + "<<");
  }
  EXPECT_THAT(message_of<InvalidArgument>([&] { subword.with_tags(many); }),
              HasSubstr("no reserved piece is left for tag '>>x64<<'"));
}

TEST(Subword, FollowsAVocabularyWithNumbersOfItsOwn) {
  // As in OPUS-MT: other numbers than SentencePiece's, pieces of the other side, tags only here.
  const std::string model = sample_model(SubwordAlgorithm::unigram);
  const Subword own(model);
  std::vector<std::string> pieces = {"</s>", "<unk>", ">>deu<<"};
  for (std::int32_t id = own.vocabulary().size() - 2; id > 1; --id) {
    pieces.push_back(own.vocabulary().piece(id));
  }
  pieces.emplace_back("<pad>");
  const Subword subword(model, std::make_shared<const Vocabulary>(pieces));
  const std::vector<std::int32_t> plain = encode(own, "die Katze");
  const std::vector<std::int32_t> mapped = encode(subword, ">>deu<< die Katze");
  ASSERT_EQ(mapped.size(), plain.size() + 1);
  EXPECT_EQ(mapped[0], 2);
  for (std::size_t at = 0; at < plain.size(); ++at) {
    EXPECT_EQ(subword.vocabulary().piece(mapped[at + 1]), own.vocabulary().piece(plain[at]));
  }
  EXPECT_EQ(subword.decode(std::span(mapped).subspan(1)), "die Katze");
}

}  // namespace
}  // namespace yona
