#include "yona/io/yaml_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;

Json parse(std::string_view text) { return parse_yaml_json(text, "f.yml"); }

TEST(YamlJson, ReadsScalarsByTheirLook) {
  const Json json = parse(
      "a: 1\nb: -2.5\nc: true\nd: word\ne: \"1\"\nf: ~\ng: \"\"\nh: 1e-3\ni: nan\nj: "
      "v1.12.0\nk:\n");
  EXPECT_EQ(json, (Json{{"a", 1},
                        {"b", -2.5},
                        {"c", true},
                        {"d", "word"},
                        {"e", "1"},
                        {"f", nullptr},
                        {"g", ""},
                        {"h", 1e-3},
                        {"i", "nan"},
                        {"j", "v1.12.0"},
                        {"k", nullptr}}));
}

TEST(YamlJson, ReadsListsAndMaps) {
  EXPECT_EQ(parse("models:\n  - a.npz\n  - b.npz\nsizes: [3, 4]\nmore: {x: {y: [1]}}\n"),
            (Json{{"models", {"a.npz", "b.npz"}},
                  {"sizes", {3, 4}},
                  {"more", {{"x", {{"y", Json::array({1})}}}}}}));
  EXPECT_EQ(parse(""), Json());
  EXPECT_EQ(parse("- 1\n- [2, []]\n"), (Json{1, {2, Json::array()}}));
}

TEST(YamlJson, ReadsAVocabularyWithOddPieces) {
  const Json json = parse("</s>: 0\n\"\\\"\": 1\n',': 2\n\"~\": 3\n\"▁true\": 4\ntrue: 5\n7: 6\n");
  EXPECT_EQ(json.size(), 7U);
  EXPECT_EQ(json["\""], 1);
  EXPECT_EQ(json["▁true"], 4);
  EXPECT_EQ(json["true"], 5);
  EXPECT_EQ(json["7"], 6);
}

TEST(YamlJson, NamesFileAndLineOfWhatIsWrong) {
  const auto error_of = [](std::string_view text) {
    return message_of<FormatError>([&] { parse(text); });
  };
  EXPECT_THAT(error_of("a: 1\nb: [2"), HasSubstr("f.yml:2: not valid YAML"));
  EXPECT_THAT(error_of("a: 1\na: 2\n"), HasSubstr("f.yml:2: the key 'a' is repeated"));
  EXPECT_THAT(error_of("a: &x 1\nb: *x\n"), HasSubstr("f.yml:2: aliases (*) are not read"));
  EXPECT_THAT(error_of("[a]: 1\n"), HasSubstr("f.yml:1: a list or a map cannot be a key"));
  EXPECT_THAT(error_of("a: 1\n---\nb: 2\n"), HasSubstr("a second document begins"));
  EXPECT_THAT(error_of("a: \"\\xFF\xC3\"\n"), HasSubstr("f.yml"));
  EXPECT_THAT(error_of(std::string_view("a\0b", 3)), HasSubstr("f.yml: not YAML"));
  EXPECT_THAT(error_of(std::string(100, '[') + std::string(100, ']')),
              HasSubstr("nested too deeply"));
}

TEST(YamlJson, NamesAFileThatIsNotThere) {
  const testing::TempDir folder;
  EXPECT_THAT(message_of<IoError>([&] { read_yaml(folder.path() / "none.yml"); }),
              HasSubstr("none.yml"));
}

}  // namespace
}  // namespace yona
