// Models of SentencePiece taken apart and put together again.

#include "yona/text/spm_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/subword.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::sample_model;

TEST(SpmFile, ShowsAlgorithmAndKindsOfPieces) {
  const SpmFile file = parse_spm(sample_model(SubwordAlgorithm::bpe, 500, {"<BT>"}), "m");
  EXPECT_EQ(file.algorithm, SubwordAlgorithm::bpe);
  ASSERT_GT(file.pieces.size(), 2U + 64U + 256U);
  EXPECT_EQ(file.pieces[0].text, "</s>");
  EXPECT_EQ(file.pieces[0].kind, SpmPiece::Kind::control);
  EXPECT_EQ(file.pieces[1].kind, SpmPiece::Kind::unknown);
  EXPECT_EQ(file.pieces[2].text, "<BT>");
  EXPECT_EQ(file.pieces[2].kind, SpmPiece::Kind::user_defined);
  EXPECT_EQ(file.pieces[66].text, "<0x00>");
  EXPECT_EQ(file.pieces[66].kind, SpmPiece::Kind::byte);
  EXPECT_EQ(file.pieces[322].kind, SpmPiece::Kind::normal);
  EXPECT_EQ(parse_spm(sample_model(SubwordAlgorithm::unigram), "m").algorithm,
            SubwordAlgorithm::unigram);
}

TEST(SpmFile, ShowsHowTextIsNormalised) {
  const SpmNormalizer plain =
      parse_spm(sample_model(SubwordAlgorithm::bpe, 500, {"<BT>"}), "m").normalizer;
  EXPECT_EQ(plain.precompiled_charsmap, "");
  EXPECT_TRUE(plain.add_dummy_prefix);
  EXPECT_TRUE(plain.remove_extra_whitespaces);
}

TEST(SpmFile, ARenamedPieceIsTheOnlyChange) {
  const std::string model = sample_model(SubwordAlgorithm::bpe);
  const std::string renamed = rename_spm_piece(model, reserved_piece(3), ">>de<<");
  EXPECT_NE(renamed, model);
  EXPECT_EQ(rename_spm_piece(renamed, ">>de<<", reserved_piece(3)), model);
  EXPECT_EQ(parse_spm(renamed, "m").pieces[5].text, ">>de<<");
  EXPECT_THAT(message_of<InvalidArgument>([&] { rename_spm_piece(model, "<0x00>", "<x>"); }),
              HasSubstr("cannot rename '<0x00>': it is not a reserved piece or a tag"));
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { rename_spm_piece(model, reserved_piece(1), "</s>"); }),
      HasSubstr("there is a piece '</s>' already"));
}

TEST(SpmFile, DamagedModelsAreFormatErrors) {
  const std::string model = sample_model(SubwordAlgorithm::bpe);
  EXPECT_THAT(message_of<FormatError>([] { parse_spm("", "x.spm"); }),
              HasSubstr("x.spm: not a SentencePiece model: it has no pieces"));
  EXPECT_THAT(message_of<FormatError>([] { parse_spm("hello, world", "x.spm"); }),
              HasSubstr("x.spm: not a SentencePiece model"));
  EXPECT_THAT(message_of<FormatError>([&] { Subword("{\"model\": 1}"); }),
              HasSubstr("not a SentencePiece model"));
  // Cut anywhere, it must end in an answer: an error, or fewer pieces.
  for (std::size_t size = 0; size < model.size(); size += 97) {
    try {
      parse_spm(model.substr(0, size), "x.spm");
    } catch (const FormatError&) {
    }
  }
}

}  // namespace
}  // namespace yona
