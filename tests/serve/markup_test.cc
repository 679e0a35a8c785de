#include "yona/serve/markup.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

using serve::Markup;
using Strings = std::vector<std::string>;

TEST(Markup, IsRunsOfTextAndWhatStandsBetween) {
  const Markup markup("<p>Hello <b>big</b> world.</p>\n<img alt='a > b'> Bye");
  EXPECT_EQ(markup.runs(), (Strings{"Hello", "big", "world.", "Bye"}));
  EXPECT_EQ(markup.with_runs({"1", "2", "3", "4"}), "<p>1 <b>2</b> 3</p>\n<img alt='a > b'> 4");
}

TEST(Markup, KeepsWhatIsNotText) {
  for (const std::string html :
       {"<script>let a = 1 < 2;</script>", "<style>p { x }</style>", "<!-- a <b> -->",
        "<pre>a <b>c</b></pre>", "<code>x</code>", "<!DOCTYPE html>", "<br/>", "",
        "<span translate=\"no\">yona <span>x</span></span>", "<b", "<!-- open"}) {
    const Markup markup(html);
    EXPECT_TRUE(markup.runs().empty()) << html;
    EXPECT_EQ(markup.with_runs({}), html);
  }
}

TEST(Markup, TakesASignForWhatItIs) {
  EXPECT_EQ(Markup("1 < 2 and 3 > 2").runs(), (Strings{"1 < 2 and 3 > 2"}));
  EXPECT_EQ(Markup("1 < 2").with_runs({"1 < 2"}), "1 &lt; 2");
}

TEST(Markup, ReadsAndWritesEntities) {
  EXPECT_EQ(serve::unescaped_html("&lt;&amp;&gt;&quot;&#39;&#x41;&nbsp;&bogus;&#xD800;&"),
            "<&>\"'A\xC2\xA0&bogus;&#xD800;&");
  EXPECT_EQ(serve::unescaped_html("&#x20AC;&#x1F600;&eacute;"), "€😀&eacute;");
  EXPECT_EQ(serve::escaped_html("<a & b>"), "&lt;a &amp; b&gt;");
}

TEST(Markup, WithItsOwnRunsIsItself) {
  const std::string html = "<div><h1>Title</h1> text <a href=\"x?a=1&b=2\">link</a>.</div>";
  const Markup markup(html);
  EXPECT_EQ(markup.with_runs(markup.runs()), html);
}

}  // namespace
}  // namespace yona
