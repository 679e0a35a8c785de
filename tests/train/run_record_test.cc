#include "yona/train/run_record.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

Json with_file(const char* name, int bytes, const char* sum) {
  return {{"valid", Json::array({{{"file", name}, {"bytes", bytes}, {"crc64", sum}}})}};
}

TEST(RunRecord, AnotherValidationSetIsOneOfOtherContent) {
  const Json record = with_file("valid.en", 7, "00000000000000aa");
  EXPECT_FALSE(validation_differs(record, record));
  EXPECT_FALSE(validation_differs(record, with_file("moved.en", 7, "00000000000000aa")));
  EXPECT_TRUE(validation_differs(record, with_file("valid.en", 8, "00000000000000aa")));
  EXPECT_TRUE(validation_differs(record, with_file("valid.en", 7, "00000000000000bb")));
  Json two = record;
  two["valid"].push_back(record["valid"][0]);
  EXPECT_TRUE(validation_differs(record, two));
}

TEST(RunRecord, NothingIsComparedWithNoValidationSet) {
  const Json record = with_file("valid.en", 7, "00000000000000aa");
  EXPECT_FALSE(validation_differs(record, Json::object()));
  EXPECT_FALSE(validation_differs(Json::object(), record));
  EXPECT_FALSE(validation_differs(Json(), record));  // of yona 0.1
}

}  // namespace
}  // namespace yona
