#include "yona/io/encoder_tokenizer_files.h"

#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"
#include "yona/text/word_piece_training.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class EncoderTokenizerFixture : public ::testing::TestWithParam<std::string> {};

// texts.json has what transformers' tokenisers make of each text, cut to 20 tokens.
TEST_P(EncoderTokenizerFixture, IdsAndSegmentsAreThoseOfTransformers) {
  const fs::path folder = fs::path(YONA_FIXTURES) / "encoders" / GetParam();
  const EncoderTokenizer tokenizer = load_encoder_tokenizer(folder, read_encoder_info(folder));
  const Json rows = read_json(folder / "texts.json");
  ASSERT_EQ(rows.size(), 10U);
  for (const Json& row : rows) {
    const std::string first = row["first"].get<std::string>();
    const std::string second = row["second"].is_null() ? "" : row["second"].get<std::string>();
    const EncodedText text = tokenizer.encode(
        first, row["second"].is_null() ? std::nullopt : std::optional<std::string_view>(second),
        20);
    EXPECT_EQ(text.ids, row["ids"].get<std::vector<std::int32_t>>()) << row.dump();
    EXPECT_EQ(text.types, row["types"].get<std::vector<std::int32_t>>()) << row.dump();
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EncoderTokenizerFixture,
                         ::testing::Values("bert-masked-lm", "bert-classes", "roberta-masked-lm",
                                           "roberta-classes"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(EncoderTokenizerFiles, WrittenOnesAreReadBack) {
  const TempDir folder;
  BertNormalisation normalisation;
  WordCounts words(normalisation);
  words.add("the cat sat on the mat");
  const std::vector<std::string> pieces = train_word_pieces(words, 40);
  write_word_piece_files(folder.path(), pieces, normalisation, 64);
  EncoderInfo info;
  info.config.vocabulary = static_cast<std::int64_t>(pieces.size());
  const EncoderTokenizer tokenizer = load_encoder_tokenizer(folder.path(), info);
  const EncodedText text = tokenizer.encode("The CAT", std::nullopt, 64);
  EXPECT_EQ(tokenizer.decode(text.ids), "the cat");
  EXPECT_EQ(tokenizer.piece(tokenizer.special().mask), "[MASK]");
}

TEST(EncoderTokenizerFiles, FolderWithoutATokeniserIsNamed) {
  const TempDir folder;
  EXPECT_THAT(message_of<FormatError>([&] { load_encoder_tokenizer(folder.path(), {}); }),
              HasSubstr("no tokeniser: neither tokenizer.json, vocab.txt"));
}

TEST(EncoderTokenizerFiles, ValuesOfAnotherTypeAreRefused) {
  const TempDir folder;
  const auto refusal = [&](const char* json) {
    write_bytes(folder / "tokenizer.json", json);
    return message_of<FormatError>([&] { load_encoder_tokenizer(folder.path(), {}); });
  };
  const auto expected = HasSubstr("tokenizer.json: a value is not as expected");
  EXPECT_THAT(refusal(R"({"model": {"type": "WordPiece", "continuing_subword_prefix": 1}})"),
              expected);
  EXPECT_THAT(refusal(R"({"model": {"type": "WordPiece", "vocab": {}}, "added_tokens": [3]})"),
              expected);
  for (const char* length : {"-1", "1e30", "2.5", "\"7\"", "null"}) {
    EXPECT_THAT(refusal(fmt::format(R"({{"model": {{"type": "WordPiece", "vocab": {{}},
                                        "max_input_chars_per_word": {}}}}})",
                                    length)
                            .c_str()),
                HasSubstr("max_input_chars_per_word cannot be "))
        << length;
  }
}

}  // namespace
}  // namespace yona::testing
