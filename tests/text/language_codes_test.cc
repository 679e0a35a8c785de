#include "yona/text/language_codes.h"

#include <set>

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(LanguageCodes, AreAsManyAsTheFamiliesHaveAndEachOnce) {
  const auto distinct = [](std::span<const std::string_view> codes) {
    return std::set<std::string_view>(codes.begin(), codes.end()).size();
  };
  EXPECT_EQ(distinct(mbart_languages()), 25U);
  EXPECT_EQ(distinct(mbart50_languages()), 52U);
  EXPECT_EQ(distinct(m2m100_languages()), 100U);
  EXPECT_EQ(distinct(wmt21_languages()), 8U);
  EXPECT_EQ(distinct(nllb_languages()), 202U);
}

// Ids on the hub: en_XX is 250004 in both mBARTs, __en__ 128022, eng_Latn 256047.
TEST(LanguageCodes, StandInTheOrderOfTheirIds) {
  EXPECT_EQ(mbart_languages()[250004 - 250001], "en_XX");
  EXPECT_EQ(mbart50_languages()[250052 - 250001], "sl_SI");
  EXPECT_EQ(m2m100_languages()[128022 - 128004], "en");
  EXPECT_EQ(nllb_languages()[256047 - 256001], "eng_Latn");
}

}  // namespace
}  // namespace yona
