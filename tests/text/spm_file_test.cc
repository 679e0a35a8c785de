// Models of SentencePiece taken apart and put together again.

#include "yona/text/spm_file.h"

#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/protobuf.h"
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

// A model of one piece, with the given fields.
std::string one_piece(std::string_view text, float score, std::uint64_t kind) {
  std::string piece;
  protobuf::append_bytes(piece, 1, text);
  protobuf::append_key(piece, 2, protobuf::fixed32);
  piece.append(reinterpret_cast<const char*>(&score), sizeof(score));
  protobuf::append_key(piece, 3, protobuf::varint);
  protobuf::append_varint(piece, kind);
  std::string model;
  protobuf::append_bytes(model, 1, piece);
  return model;
}

TEST(SpmFile, RefusesPiecesThatNoModelHas) {
  const auto error_of = [](const std::string& model) {
    return message_of<FormatError>([&] { parse_spm(model, "x.spm"); });
  };
  EXPECT_EQ(parse_spm(one_piece("a", -1, 1), "x.spm").pieces.at(0).text, "a");
  EXPECT_THAT(error_of(one_piece("\xC3", -1, 1)), HasSubstr("x.spm: a piece is not UTF-8"));
  EXPECT_THAT(error_of(one_piece({"\0", 1}, -1, 1)), HasSubstr("x.spm: a piece holds a NUL byte"));
  EXPECT_THAT(error_of(one_piece({"a\0b", 3}, -1, 1)), HasSubstr("a piece holds a NUL byte"));
  EXPECT_THAT(error_of(one_piece("a", std::numeric_limits<float>::quiet_NaN(), 1)),
              HasSubstr("x.spm: the score of piece 'a' is nan"));
  EXPECT_THAT(error_of(one_piece("a", -1, 262)), HasSubstr("a piece is of unknown type 262"));
}

}  // namespace
}  // namespace yona
