#include "yona/serve/html_text.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

using serve::escaped_html;
using serve::unescaped_html;

TEST(HtmlText, ReadsEntities) {
  EXPECT_EQ(unescaped_html("&lt;&amp;&gt;&quot;&#39;&#x41;&nbsp;"), "<&>\"'A\xC2\xA0");
  EXPECT_EQ(unescaped_html("&#x20AC;&#x1F600;&eacute;&yuml;&iexcl;"), "€😀éÿ¡");
  EXPECT_EQ(unescaped_html("&ldquo;a&rdquo; &mdash; b&hellip;"), "“a” — b…");
}

TEST(HtmlText, LeavesWhatIsNoEntity) {
  for (const std::string text : {"", "&", "&;", "&bogus;", "&#xD800;", "&#0;", "&#1114112;", "&#;",
                                 "&#x;", "&#-5;", "a & b; c", "&amp", "&#99999999999;"}) {
    EXPECT_EQ(unescaped_html(text), text);
  }
}

TEST(HtmlText, WritesEntitiesWhereTheyAreNeeded) {
  EXPECT_EQ(escaped_html("<a & b> \"é\""), "&lt;a &amp; b&gt; \"é\"");
  EXPECT_EQ(unescaped_html(escaped_html("&lt; < & >")), "&lt; < & >");
}

}  // namespace
}  // namespace yona
