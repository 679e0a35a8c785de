#include "yona/io/json_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

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
