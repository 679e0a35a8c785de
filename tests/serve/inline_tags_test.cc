#include "yona/serve/inline_tags.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

using serve::Markup;
using serve::MarkupRun;
using serve::WordLink;
using serve::words_of;

constexpr int kNone = -1;

// The translation of a run whose words come from these words of the source.
std::string translated(const std::string& html, const std::string& translation,
                       const std::vector<int>& sources) {
  const Markup markup(html);
  const MarkupRun& run = markup.runs().front();
  const std::vector<WordLink> source = words_of(run.text);
  std::vector<WordLink> words = words_of(translation);
  EXPECT_EQ(words.size(), sources.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i].source = sources[i] == kNone ? WordLink::kNowhere
                                          : source[static_cast<std::size_t>(sources[i])].begin;
  }
  return markup.with_runs({with_tags(run, translation, words)});
}

TEST(InlineTags, GoAroundTheWordsThatComeFromTheirs) {
  EXPECT_EQ(translated("A <b>man</b> sleeps.", "Ein Mann schläft.", {0, 1, 2, 3}),
            "Ein <b>Mann</b> schläft.");
  EXPECT_EQ(translated("a <b>red</b> <i>car</i>", "une voiture rouge", {0, 2, 1}),
            "une <i>voiture</i> <b>rouge</b>");
}

TEST(InlineTags, TakeTheLongestStretchWhereWordsAreScattered) {
  EXPECT_EQ(translated("I <b>gave up smoking</b> now", "ich gab jetzt das Rauchen auf",
                       {0, 1, 4, 3, 3, 2}),
            "ich gab jetzt <b>das Rauchen auf</b>");
}

TEST(InlineTags, BridgeAWordOfNoKnownSource) {
  EXPECT_EQ(translated("a <b>x y</b> z", "a x und y z", {0, 1, kNone, 2, 3}), "a <b>x und y</b> z");
  EXPECT_EQ(translated("a <b>x y</b> z", "a x z y z", {0, 1, 3, 2, 3}), "a <b>x</b> z y z");
}

TEST(InlineTags, NestAsTheyDid) {
  EXPECT_EQ(translated("<a>big <b>dog</b></a> x", "x gros chien", {2, 0, 1}),
            "x <a>gros <b>chien</b></a>");
  EXPECT_EQ(translated("<a><b>big dog</b></a> x", "x gros chien", {2, 0, 1}),
            "x <a><b>gros chien</b></a>");
}

TEST(InlineTags, AreNeverLost) {
  EXPECT_EQ(translated("one <b>two</b> three", "eins drei", {0, 2}), "eins <b></b>drei");
  EXPECT_EQ(translated("<b>one</b> two", "zwei", {1}), "<b></b>zwei");
  EXPECT_EQ(translated("one <b>two</b>", "", {}), "<b></b>");
  EXPECT_EQ(translated("<i>one</i>", "eins", {kNone}), "<i>eins</i>");
}

TEST(InlineTags, ThatStandAloneStayBesideTheirWord) {
  EXPECT_EQ(translated("one<img> two", "zwei eins", {1, 0}), "zwei eins<img>");
  EXPECT_EQ(translated("<a><img>one</a> two", "zwei eins", {1, 0}), "zwei <a><img>eins</a>");
  EXPECT_EQ(translated("one <b>two</b><img> x", "eins zwei x", {0, 1, 2}),
            "eins <b>zwei</b><img> x");
  EXPECT_EQ(translated("one two<img>", "zwei eins", {1, 0}), "zwei eins<img>");
  EXPECT_EQ(translated("one <img>two", "zwei eins", {1, 0}), "<img>zwei eins");
}

TEST(InlineTags, StayInsideAWordThatStays) {
  EXPECT_EQ(translated("a H<sub>2</sub>O b", "b H2O a", {2, 1, 0}), "b H<sub>2</sub>O a");
  EXPECT_EQ(translated("<b>O</b>nce upon", "Es war", {0, 1}), "<b>Es</b> war");
}

TEST(InlineTags, LeaveTextsEscaped) {
  EXPECT_EQ(translated("a <b>&lt;</b> b", "a < b", {0, 1, 2}), "a <b>&lt;</b> b");
}

TEST(InlineTags, WorkWithoutSpaces) {
  EXPECT_EQ(translated("my <b>cat</b>", "我的猫", {0, 0, 1}), "我的<b>猫</b>");
}

}  // namespace
}  // namespace yona
