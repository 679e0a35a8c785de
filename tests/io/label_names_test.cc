#include "yona/io/label_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LabelNames, AreReadAsTheyAreWritten) {
  Json config = Json::object();
  write_label_names({"boot", "coat"}, config);
  EXPECT_EQ(config["label2id"]["coat"], 1);
  EXPECT_THAT(read_label_names(config, "c.json"), ElementsAre("boot", "coat"));
}

TEST(LabelNames, WithoutNamesTheyAreNumbered) {
  EXPECT_THAT(read_label_names({{"num_labels", 3}}, "c.json"),
              ElementsAre("LABEL_0", "LABEL_1", "LABEL_2"));
}

TEST(LabelNames, AMissingNumberIsNamed) {
  const Json config{{"id2label", {{"0", "a"}, {"2", "b"}}}};
  EXPECT_THAT(message_of<FormatError>([&] { read_label_names(config, "c.json"); }),
              HasSubstr("c.json: \"id2label\" has 2 labels, but none for 1"));
  EXPECT_THAT(message_of<FormatError>([] {
                read_label_names({{"num_labels", "three"}}, "c.json");
              }),
              HasSubstr("c.json: \"num_labels\" cannot be"));
}

}  // namespace
}  // namespace yona::testing
