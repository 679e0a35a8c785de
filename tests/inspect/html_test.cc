// The page as text. page_test.py opens it in Chromium.

#include "yona/inspect/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/json.h"

#include "tests/harness/temp_dir.h"
#include "tests/inspect/small_maps.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json page_data(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(start) + start.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(AttentionPage, HoldsTokensColoursAndFigures) {
  const Json data = page_data(attention_page(small_maps()));
  EXPECT_EQ(data.at("source"), "a quarter");
  EXPECT_EQ(data.at("heads"), 2);
  EXPECT_EQ(data.at("colours").size(), 2U);
  EXPECT_EQ(data.at("parts").at(2).at("name"), "cross");
  EXPECT_EQ(data.at("parts").at(2).at("queries").at(1), "Viertel");
  EXPECT_EQ(data.at("parts").at(1).at("keys").at(0), "<start>");
  EXPECT_EQ(data.at("figures").size(), 12U);
  // Head 1 looks along the diagonal: 255, three zeros and so on; head 2 beside it.
  EXPECT_EQ(data.at("parts").at(2).at("layers").at(0), "/wAC/wAC/wAA/wAC//8AAQ==");
}

TEST(AttentionPage, NeedsNothingFromOutside) {
  const std::string page = attention_page(small_maps());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* reference : {"http:", "https:", "src=", "@import", "url("}) {
    EXPECT_THAT(page, Not(HasSubstr(reference)));
  }
}

TEST(AttentionPage, LetsNoTextEndItsScript) {
  const std::vector<std::string> odd{"</script><b>", "<!--", "&", "\"", "א", "時", "🎈", "\x1b"};
  AttentionMaps maps = small_maps(odd, odd);
  maps.source = "</script><script>alert(1)</script>";
  const std::string page = attention_page(maps);
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  const Json data = page_data(page);
  EXPECT_EQ(data.at("source"), maps.source);
  EXPECT_EQ(data.at("parts").at(0).at("keys").at(0), "</script><b>");
  EXPECT_EQ(data.at("parts").at(0).at("keys").at(7), "␛");
}

TEST(AttentionPage, PacksWeightsInStepsWithRunsOfZeros) {
  EXPECT_EQ(packed_weights(std::vector<float>{1, 0, 0, 0.5F}), std::string("\xFF\0\x01\x80", 4));
  EXPECT_EQ(packed_weights(std::vector<float>(300, 0.0F)), std::string("\0\xFF\0\x2B", 4));
  EXPECT_EQ(packed_weights({}), "");
  EXPECT_EQ(packed_weights(std::vector<float>{0.001F}), std::string("\0\0", 2));
}

TEST(AttentionPage, IsBoundedInSize) {
  const std::vector<std::string> many(500, "word");
  EXPECT_LT(attention_page(small_maps(many, many)).size(), 200000U);  // mostly zeros
  const std::vector<std::string> more(1500, "x");
  AttentionMaps maps = small_maps(more, more);
  for (AttentionMap& map : maps.maps) {
    map.weights.assign(map.weights.size(), 0.1F);
  }
  EXPECT_EQ(message_of<InvalidArgument>([&] { attention_page(maps); }),
            "attention: 1500 and 1500 tokens are too many for a page; give a shorter sentence, or "
            "write --format npz");
}

}  // namespace
}  // namespace yona::testing
