#include "yona/io/json_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/utf8.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::read_bytes;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

TEST(JsonFile, KeepsTheOrderOfKeysAndEveryDigit) {
  const TempDir dir;
  const Json json = {{"z", 0.1}, {"a", {1, 2}}, {"m", 1.0 / 3}, {"big", 9007199254740993}};
  write_json(dir / "a.json", json);
  EXPECT_EQ(read_json(dir / "a.json"), json);
  EXPECT_EQ(read_bytes(dir / "a.json").substr(0, 12), "{\n  \"z\": 0.1");
}

TEST(JsonFile, NamesTheFileAndThePlaceOfAMistake) {
  const TempDir dir;
  write_bytes(dir / "bad.json", "{\"a\":\n 1,}");
  EXPECT_THAT(message_of<FormatError>([&] { read_json(dir / "bad.json"); }),
              HasSubstr("bad.json: not valid JSON: parse error at line 2"));
  write_bytes(dir / "bad.json", "");
  EXPECT_THAT(message_of<FormatError>([&] { read_json(dir / "bad.json"); }), HasSubstr("bad.json"));
  EXPECT_THAT(message_of<IoError>([&] { read_json(dir / "none.json"); }), HasSubstr("none.json"));
}

TEST(JsonFile, AMessageQuotesNotMoreThanALineAndIsUtf8) {
  const std::string message =
      message_of<FormatError>([] { parse_json("[\"" + std::string(1'000'000, 'a'), "a.json"); });
  EXPECT_THAT(message, HasSubstr("a.json: not valid JSON: parse error at line 1"));
  EXPECT_LT(message.size(), 400U);
  EXPECT_TRUE(is_utf8(message_of<FormatError>([] { parse_json("[\"\xFA", "a.json"); })));
  EXPECT_TRUE(is_utf8(message_of<FormatError>(
      [] { parse_json("[\"" + std::string(229, 'a') + "ééééééééé", "a.json"); })));
}

// Each takes a minute where the time grows with the square of the number.
TEST(JsonFile, ManyValuesAndKeysTakeNoLongerThanTheirBytes) {
  const auto joined = [](int count, const auto& of) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += (i == 0 ? "" : ",") + of(i);
    }
    return text;
  };
  const std::string lists = joined(400'000, [](int) { return std::string("{}"); });
  EXPECT_EQ(parse_json("[" + lists + "]", "a").size(), 400'000U);
  const std::string keys = joined(300'000, [](int i) { return fmt::format("\"{}\":{}", i, i); });
  const Json object = parse_json("{" + keys + ",\"7\":\"again\"}", "a");
  EXPECT_EQ(object.size(), 300'000U);
  EXPECT_EQ(object.begin().key(), "0");
  EXPECT_EQ(std::prev(object.end()).value(), 299'999);
  EXPECT_EQ(object["7"], "again");
}

TEST(JsonFile, IsWhatTheLibraryReads) {
  for (const char* text : {"{}", "[]", "null", "-1", "18446744073709551615", "0.1", "\"a\\u00e9\"",
                           R"({"b":[1,{"c":[]},[{}]],"a":{"x":null,"y":true},"b":2,"c":"x"})"}) {
    EXPECT_EQ(parse_json(text, "a"), Json::parse(text)) << text;
    EXPECT_EQ(parse_json(text, "a").dump(), Json::parse(text).dump());
  }
}

TEST(JsonFile, RefusesDepthsThatWouldExhaustTheStackOfAPrinter) {
  const auto nested = [](int levels) {
    return std::string(levels, '[') + "1" + std::string(levels, ']');
  };
  EXPECT_EQ(parse_json(nested(60), "a.json").dump(), nested(60));
  EXPECT_THAT(message_of<FormatError>([&] { parse_json(nested(1000000), "a.json"); }),
              HasSubstr("a.json: nested deeper than 64 levels"));
}

}  // namespace
}  // namespace yona
