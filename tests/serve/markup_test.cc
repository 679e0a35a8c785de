#include "yona/serve/markup.h"

#include <gtest/gtest.h>

#include "yona/serve/inline_tags.h"

namespace yona {
namespace {

using serve::Markup;
using serve::MarkupRun;
using serve::words_of;
using Strings = std::vector<std::string>;

Strings texts_of(const Markup& markup) {
  Strings texts;
  for (const MarkupRun& run : markup.runs()) {
    texts.push_back(run.text);
  }
  return texts;
}

// The runs translated to themselves, word by word.
std::string itself(const Markup& markup) {
  Strings htmls;
  for (const MarkupRun& run : markup.runs()) {
    std::vector<serve::WordLink> words = words_of(run.text);
    for (serve::WordLink& word : words) {
      word.source = word.begin;
    }
    htmls.push_back(with_tags(run, run.text, words));
  }
  return markup.with_runs(htmls);
}

TEST(Markup, IsRunsOfTextAndWhatStandsBetween) {
  const Markup markup("<p>Hello <b>big</b> world.</p>\n<hr alt='a > b'> Bye");
  EXPECT_EQ(texts_of(markup), (Strings{"Hello big world.", "Bye"}));
  EXPECT_EQ(markup.with_runs({"1", "2"}), "<p>1</p>\n<hr alt='a > b'> 2");
}

TEST(Markup, KnowsWhereTagsStandAndWhichBelongTogether) {
  const MarkupRun run = Markup("A <b>big <i>dog</b></i><img> <a>b").runs().front();
  EXPECT_EQ(run.text, "A big dog b");
  ASSERT_EQ(run.tags.size(), 6U);
  EXPECT_EQ(run.tags[0].place, 2U);
  EXPECT_EQ(run.tags[0].partner, 2U);
  EXPECT_EQ(run.tags[1].partner, std::nullopt);  // it is closed after what it is in
  EXPECT_EQ(run.tags[2].place, 9U);
  EXPECT_EQ(run.tags[4].html, "<img>");
  EXPECT_EQ(run.tags[5].partner, std::nullopt);
  EXPECT_TRUE(run.has_tags_inside());
  EXPECT_FALSE(Markup("<b><i>all</i></b>").runs().front().has_tags_inside());
}

TEST(Markup, KeepsWhatIsNotText) {
  for (const std::string html :
       {"<script>let a = 1 < 2;</script>", "<style>p { x }</style>", "<!-- a <b> -->",
        "<pre>a <b>c</b></pre>", "<code>x</code>", "<!DOCTYPE html>", "<br/>", "", " <b> </b> ",
        "<span translate=\"no\">yona <span>x</span></span>", "<b", "<!-- open", "</", "<?xml?>"}) {
    const Markup markup(html);
    EXPECT_TRUE(markup.runs().empty()) << html;
    EXPECT_EQ(markup.with_runs({}), html);
  }
}

TEST(Markup, TakesASignForWhatItIs) {
  EXPECT_EQ(texts_of(Markup("1 < 2 and 3 > 2")), (Strings{"1 < 2 and 3 > 2"}));
  EXPECT_EQ(itself(Markup("1 < 2")), "1 &lt; 2");
}

TEST(Markup, TakesLineEndsForSpaces) {
  EXPECT_EQ(texts_of(Markup("<p>\n  Two\n  <b>big\t</b> dogs\n</p>")), (Strings{"Two big dogs"}));
}

TEST(Markup, WithItsOwnRunsIsItself) {
  for (const std::string html :
       {"<div><h1>Title</h1> text <a href=\"x?a=1&b=2\">link</a>.</div>", "<b>a</b><i>b</i> c",
        "<a><img>b</a>", "a<!-- c --> b", "<i>a <b>b c</b></i> d", "a</b> b <i>c", "<b>a", "a</b>",
        "<a>a</a> <a></a>b<u><b></b></u>"}) {
    EXPECT_EQ(itself(Markup(html)), html);
  }
}

TEST(Markup, StandsAnyNumberOfTags) {
  std::string html;
  for (int i = 0; i < 20'000; ++i) {
    html += "<b>a <i></b>";
  }
  EXPECT_GT(Markup(html).runs().size(), 100U);
  EXPECT_EQ(itself(Markup(html)).size(), html.size());
}

}  // namespace
}  // namespace yona
