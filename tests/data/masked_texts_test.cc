#include "yona/data/masked_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/word_piece.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::TempDir;

EncoderTokenizer letters() {
  std::vector<std::string> pieces{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
  for (char c = 'a'; c <= 'z'; ++c) {
    pieces.emplace_back(1, c);
    pieces.push_back(std::string("##") + c);
  }
  SpecialTokens special;
  special.begin = 2;
  special.end = 3;
  special.mask = 4;
  special.unknown = 1;
  return {std::make_shared<const WordPiece>(pieces, BertNormalisation{}, "[UNK]", "v"),
          std::make_shared<const std::vector<std::string>>(pieces), special};
}

class MaskedTextsTest : public ::testing::Test {
 protected:
  MaskedTextsTest() {
    std::string text;
    for (int i = 0; i < 400; ++i) {
      text += "the quick brown fox jumps over a lazy dog\n";
    }
    testing::write_bytes(folder_ / "t.txt", text + "\nend\n");
  }
  MaskedTexts texts(const MaskedOptions& options) {
    return {{folder_.path() / "t.txt"}, letters(), options};
  }
  static Batch filled(const MaskedTexts& texts, std::int64_t epoch) {
    std::vector<std::uint32_t> all(texts.count());
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = static_cast<std::uint32_t>(i);
    }
    Batch batch;
    texts.fill(all, 1 << 20, {.seed = 3, .epoch = epoch}, batch);
    return batch;
  }

  TempDir folder_;
};

TEST_F(MaskedTextsTest, SharesAreThoseOfThePaper) {
  const MaskedTexts examples = texts({.max_length = 102});
  const Batch batch = filled(examples, 0);
  const Side& text = batch.sides[kMaskedText];
  const Side& places = batch.sides[kMaskedPlaces];
  double masks = 0;
  double kept = 0;
  for (std::size_t s = 0; s < batch.example_ids.size(); ++s) {
    for (auto i = places.offsets[s]; i < places.offsets[s + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto row = static_cast<std::size_t>(text.offsets[s] + places.ids[at]);
      masks += text.ids[row] == 4 ? 1 : 0;
      kept += text.ids[row] == batch.sides[kMaskedTokens].ids[at] ? 1 : 0;
    }
  }
  const auto chosen = static_cast<double>(places.ids.size());
  EXPECT_NEAR(chosen / static_cast<double>(text.ids.size()), 0.147, 0.003);
  EXPECT_NEAR(masks / chosen, 0.8, 0.03);
  EXPECT_NEAR(kept / chosen, 0.1, 0.03);
}

TEST_F(MaskedTextsTest, DrawsDependOnTheEpochAlone) {
  const MaskedTexts examples = texts({.max_length = 64});
  EXPECT_EQ(filled(examples, 1).sides[kMaskedText].ids, filled(examples, 1).sides[kMaskedText].ids);
  EXPECT_NE(filled(examples, 1).sides[kMaskedText].ids, filled(examples, 2).sides[kMaskedText].ids);
}

TEST_F(MaskedTextsTest, WholeWordsAreChosenTogether) {
  const EncoderTokenizer tokenizer = letters();
  const MaskedTexts examples = texts({.max_length = 64, .whole_words = true});
  Batch batch = filled(examples, 0);
  const Side& places = batch.sides[kMaskedPlaces];
  Side& text = batch.sides[kMaskedText];
  for (std::size_t s = 0; s < batch.example_ids.size(); ++s) {
    std::vector<bool> chosen(static_cast<std::size_t>(text.rows_of(s)));
    const auto begin = static_cast<std::size_t>(text.offsets[s]);
    for (auto i = places.offsets[s]; i < places.offsets[s + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto place = static_cast<std::size_t>(places.ids[at]);
      chosen[place] = true;
      text.ids[begin + place] = batch.sides[kMaskedTokens].ids[at];  // the text as it was
    }
    for (std::size_t i = 2; i + 1 < chosen.size(); ++i) {
      if (tokenizer.continues_word(text.ids[begin + i])) {
        EXPECT_EQ(chosen[i], chosen[i - 1]) << s << " " << i;
      }
    }
  }
}

TEST_F(MaskedTextsTest, AFileWithoutTextIsNamed) {
  testing::write_bytes(folder_ / "blank.txt", "\n \n");
  EXPECT_THAT(testing::message_of<FormatError>(
                  [&] { MaskedTexts({folder_.path() / "blank.txt"}, letters(), {}); }),
              HasSubstr("blank.txt: has no text"));
}

// The rest of it would be lost in silence.
TEST_F(MaskedTextsTest, ALineThatIsTooLongIsNamed) {
  testing::write_bytes(folder_ / "long.txt", "a b\n" + std::string((1U << 20U) + 1, 'a') + "\n");
  EXPECT_THAT(testing::message_of<FormatError>(
                  [&] { MaskedTexts({folder_.path() / "long.txt"}, letters(), {}); }),
              HasSubstr("long.txt:2: a line of more than 1048576 bytes; break it into several"));
}

}  // namespace
}  // namespace yona
