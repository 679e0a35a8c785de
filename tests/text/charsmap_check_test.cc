#include "yona/text/charsmap_check.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/protobuf.h"
#include "yona/text/spm_file.h"
#include "yona/text/subword.h"
#include "yona/text/subword_training.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kOutside = 4096 + 2;  // an offset beyond the only block

std::string trained_map(const char* normalization) {
  SubwordTraining options;
  options.vocabulary_size = 420;
  options.normalization = normalization;
  const std::string model =
      train_subword(testing::lines_of(testing::sample_sentences(100)), options, "sample");
  return parse_spm(model, "sample").normalizer.precompiled_charsmap;
}

// A trie of one block in which "a" has a value, and the texts that it may point at.
std::string small_map(std::uint32_t offset, std::uint32_t value, std::string_view texts) {
  std::vector<std::uint32_t> units(256);
  units[0] = 1U << 10U;                                    // the root, offset 1
  units[1U ^ 'a'] = 'a' | (1U << 8U) | (offset << 10U);    // has a value
  units[(1U ^ 'a' ^ offset) % 256] = value | (1U << 31U);  // which is here
  const std::uint32_t bytes = 1024;
  std::string map(4 + bytes, '\0');
  std::memcpy(map.data(), &bytes, 4);
  std::memcpy(map.data() + 4, units.data(), bytes);
  return map + std::string(texts);
}

std::string refusal(const std::string& map) {
  return testing::message_of<FormatError>([&] { check_charsmap(map, "t.spm"); });
}

TEST(CheckCharsmap, TakesThoseThatSentencePieceMakes) {
  for (const char* rule : {"nfkc", "nmt_nfkc", "nfkc_cf", "nmt_nfkc_cf"}) {
    EXPECT_NO_THROW(check_charsmap(trained_map(rule), rule)) << rule;
  }
}

TEST(CheckCharsmap, RefusesATrieThatLeadsOutside) {
  const std::string texts("b\0", 2);
  EXPECT_NO_THROW(check_charsmap(small_map(2, 0, texts), "t.spm"));
  EXPECT_THAT(refusal(small_map(kOutside, 0, texts)), HasSubstr("t.spm: precompiled_charsmap"));
}

TEST(CheckCharsmap, RefusesAValueBehindTheTexts) {
  EXPECT_THAT(refusal(small_map(2, 2, std::string("b\0", 2))), HasSubstr("is damaged"));
  EXPECT_THAT(refusal(small_map(2, 0, "no end")), HasSubstr("is damaged"));
}

TEST(CheckCharsmap, RefusesOneThatIsCutOff) {
  const std::string map = small_map(2, 0, std::string("b\0", 2));
  for (const std::size_t size : {1U, 4U, 5U, 1000U, 1028U}) {
    EXPECT_THAT(refusal(map.substr(0, size)), HasSubstr("is damaged")) << size;
  }
}

// The library merges a normaliser that comes twice, and follows that of decoding too.
TEST(CheckCharsmap, IsAskedOfEveryMapOfAModel) {
  const std::string evil = small_map(kOutside, 0, std::string("b\0", 2));
  std::string normalizer;
  protobuf::append_bytes(normalizer, 2, evil);
  for (const std::uint32_t field : {3U, 5U}) {
    std::string model = testing::sample_model(SubwordAlgorithm::bpe, 420, {});
    protobuf::append_bytes(model, field, normalizer);
    protobuf::append_bytes(model, field, "");
    EXPECT_THAT(testing::message_of<FormatError>([&] { Subword(model, nullptr, "t.spm"); }),
                HasSubstr("t.spm: precompiled_charsmap is damaged"))
        << field;
  }
}

}  // namespace
}  // namespace yona
