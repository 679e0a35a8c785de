#include "yona/io/foreign_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;

const Json kJson = {{"size", 5},        {"none", nullptr},         {"text", "gelu_new"},
                    {"big", 1LL << 40}, {"one", Json::array({7})}, {"two", Json::array({7, 8})},
                    {"negative", -1},   {"other", "softplus"}};
const ForeignConfig kConfig(kJson, "m/config.json");

TEST(ForeignConfig, GivesValuesAndDefaults) {
  EXPECT_EQ(kConfig.size("size"), 5);
  EXPECT_EQ(kConfig.size("absent", 9), 9);
  EXPECT_EQ(kConfig.size("none", 9), 9);
  EXPECT_EQ(kConfig.token("one"), 7);
  EXPECT_EQ(kConfig.token("size"), 5);
  EXPECT_EQ(kConfig.activation("text"), FeedForwardActivation::gelu_tanh);
  EXPECT_FALSE(kConfig.has("none"));
  EXPECT_NO_THROW(kConfig.must_be("absent", true));
  EXPECT_NO_THROW(kConfig.must_be("size", 5));
}

TEST(ForeignConfig, NamesFileAndKeyOfWhatIsWrong) {
  const auto error = [](auto call) { return message_of<FormatError>(call); };
  EXPECT_EQ(error([] { kConfig.size("absent"); }), "m/config.json: no \"absent\"");
  EXPECT_EQ(error([] { kConfig.size("text"); }), "m/config.json: \"text\" cannot be \"gelu_new\"");
  EXPECT_THAT(error([] { kConfig.size("big"); }), HasSubstr("\"big\" cannot be"));
  EXPECT_THAT(error([] { kConfig.size("negative"); }), HasSubstr("\"negative\" cannot be -1"));
  EXPECT_THAT(error([] { kConfig.token("two"); }),
              HasSubstr("\"two\" is [7,8]; several tokens are not supported"));
  EXPECT_THAT(error([] { kConfig.activation("other"); }),
              HasSubstr("other 'softplus' is not supported; relu, gelu, gelu_new and swish are"));
  EXPECT_THAT(error([] { kConfig.must_be("size", 6); }),
              HasSubstr("\"size\" is 5; of this model_type only 6 is supported"));
}

}  // namespace
}  // namespace yona
