#include "yona/serve/engine/glossary.h"

#include <gtest/gtest.h>

#include "tests/serve/engine/waiting_job.h"

namespace yona {
namespace {

using serve::GlossaryTerm;
using serve::next_prefix;
using serve::TermUse;
using serve::uses_of;

std::vector<std::string> found_in(const std::string& sentence,
                                  const std::vector<GlossaryTerm>& terms) {
  std::vector<std::string> found;
  for (const TermUse& use : uses_of(sentence, terms)) {
    found.push_back(sentence.substr(use.begin, use.end - use.begin) + ">" + use.target);
  }
  return found;
}

using Found = std::vector<std::string>;

TEST(Glossary, FindsWholeWordsFromLeftToRight) {
  const std::vector<GlossaryTerm> terms = {{"art", "Kunst"}, {"dog", "Hund"}};
  EXPECT_EQ(found_in("the dog at an art party", terms), (Found{"dog>Hund", "art>Kunst"}));
  EXPECT_EQ(found_in("dog, dog!", terms), (Found{"dog>Hund", "dog>Hund"}));
  EXPECT_EQ(found_in("", terms), Found{});
}

TEST(Glossary, PrefersTheLongestTerm) {
  EXPECT_EQ(found_in("hot dog", {{"hot", "heiß"}, {"hot dog", "Würstchen"}, {"dog", "Hund"}}),
            (Found{"hot dog>Würstchen"}));
}

TEST(Glossary, FindsTermsOfOtherScriptsAnywhere) {
  EXPECT_EQ(found_in("我爱北京天安门", {{"北京", "Peking"}}), (Found{"北京>Peking"}));
}

// Attention that goes to one source token for each target token.
SentenceTranslation translation_of(const SubwordPair& subwords, const std::string& source,
                                   const std::string& target,
                                   const std::vector<std::size_t>& looks) {
  SentenceTranslation made{.text = target, .hypothesis = {}};
  subwords.source.encode(source, made.source);
  made.source.push_back(0);
  subwords.target.encode(target, made.hypothesis.ids);
  made.hypothesis.ids.push_back(0);
  for (std::size_t i = 0; i < made.hypothesis.ids.size(); ++i) {
    std::vector<float> row(made.source.size(), 0.0F);
    row[std::min(looks[std::min(i, looks.size() - 1)], row.size() - 1)] = 1;
    made.hypothesis.attention.push_back(row);
  }
  return made;
}

class GlossaryPrefix : public ::testing::Test {
 protected:
  const SubwordPair subwords_ = SubwordPair::load(testing::shared_model().path());
};

TEST_F(GlossaryPrefix, IsNothingWhereTheTermIsThere) {
  const SentenceTranslation made = translation_of(subwords_, "two", "zwei", {0});
  EXPECT_EQ(next_prefix("two", uses_of("two", {{"two", "zwei"}}), made, 0, subwords_),
            std::nullopt);
}

TEST_F(GlossaryPrefix, PutsTheTermWhereAttentionIsOnIt) {
  const std::string source = "seven past two";
  const std::string target = "sieben nach zwei";
  std::vector<std::int32_t> ids;
  subwords_.source.encode(source, ids);
  const std::size_t last = ids.size() - 1;
  std::vector<std::int32_t> before;
  subwords_.target.encode("sieben nach", before);
  std::vector<std::size_t> looks(before.size(), 0);
  looks.push_back(last);
  const SentenceTranslation made = translation_of(subwords_, source, target, looks);
  EXPECT_EQ(next_prefix(source, uses_of(source, {{"two", "DREI"}}), made, 0, subwords_),
            "sieben nach DREI");
  // What was given must stay, wherever attention is.
  EXPECT_EQ(
      next_prefix(source, uses_of(source, {{"seven", "ACHT"}}), made, before.size(), subwords_),
      "sieben nach ACHT");
}

TEST_F(GlossaryPrefix, CountsATermAsOftenAsItStands) {
  const std::string source = "two past two";
  const SentenceTranslation made = translation_of(subwords_, source, "zwei nach drei", {0});
  EXPECT_TRUE(
      next_prefix(source, uses_of(source, {{"two", "zwei"}}), made, 0, subwords_).has_value());
}

}  // namespace
}  // namespace yona
