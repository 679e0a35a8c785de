#include "yona/config/config_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/enum_names.h"
#include "yona/config/config_section.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::yona::testing::message_of;

enum class Colour : std::uint8_t { red, green };
constexpr std::array<std::string_view, 2> enum_names(Colour) { return {"red", "green"}; }

struct Settings {
  std::int64_t width = 8;
  std::int64_t head = 0;
  double rate = 0.1;
  bool tied = true;
  Colour colour = Colour::red;
  std::string name = "x";
  std::vector<std::string> words;

  bool operator==(const Settings&) const = default;
};

ConfigKeys<Settings> keys() {
  constexpr OnResume kFixed = OnResume::fixed;
  return {integer("width", &Settings::width, {1, 100}, kFixed, "width"),
          integer("head", &Settings::head, {1, 100, "auto"}, kFixed, "head"),
          number("rate", &Settings::rate, kProbability, kFixed, "rate"),
          flag("tied", &Settings::tied, kFixed, "tied"),
          choice("colour", &Settings::colour, kFixed, "colour"),
          config_key("name", &Settings::name, text_codec(), kFixed, "name"),
          config_key("words", &Settings::words, texts_codec(), kFixed, "words")};
}

std::string error_with(const char* name, const Json& value) {
  Settings settings;
  const Json json = {{name, value}};
  const std::string message =
      message_of<FormatError>([&] { keys_from_json(settings, json, keys(), "config.json"); });
  EXPECT_THAT(message, StartsWith("config.json: "));
  return message;
}

TEST(EnumNames, AValueAndItsNameGiveEachOther) {
  EXPECT_EQ(enum_name(Colour::green), "green");
  EXPECT_EQ(enum_value<Colour>("green"), Colour::green);
  EXPECT_EQ(enum_value<Colour>("blue"), std::nullopt);
}

TEST(ConfigJson, ValuesHaveTheirOwnTypes) {
  EXPECT_EQ(
      keys_to_json(Settings(), keys()).dump(),
      R"({"width":8,"head":"auto","rate":0.1,"tied":true,"colour":"red","name":"x","words":[]})");
}

TEST(ConfigJson, EveryFieldSurvives) {
  const Settings unusual{7, 5, 0.1 + 0.2, false, Colour::green, "true", {"a", "1"}};
  Settings read;
  keys_from_json(read, Json::parse(keys_to_json(unusual, keys()).dump()), keys(), "f");
  EXPECT_EQ(read, unusual);
}

TEST(ConfigJson, WhatIsAbsentStays) {
  Settings settings;
  settings.width = 5;
  keys_from_json(settings, Json{{"head", 3}}, keys(), "f");
  EXPECT_EQ(settings.width, 5);
  EXPECT_EQ(settings.head, 3);
}

TEST(ConfigJson, RefusesOtherTypesAndValues) {
  EXPECT_THAT(error_with("width", 0), HasSubstr("width: expected a whole number from 1 to 100"));
  EXPECT_THAT(error_with("width", 1e1), HasSubstr("width cannot be 10.0"));
  EXPECT_THAT(error_with("rate", "0.1"), HasSubstr("rate cannot be \"0.1\""));
  EXPECT_THAT(error_with("tied", 1), HasSubstr("tied cannot be 1"));
  EXPECT_THAT(error_with("colour", "blue"), HasSubstr("colour: expected red or green, got 'blue'"));
  EXPECT_THAT(error_with("words", Json::array({1})), HasSubstr("words cannot be [1]"));
}

TEST(ConfigJson, RefusesNamesThatNoKeyHas) {
  EXPECT_THAT(message_of<FormatError>([] {
                check_json_names(Json{{"size", 1}}, names_of(keys()), "f");
              }),
              HasSubstr("f: unknown key 'size'"));
  EXPECT_THAT(message_of<FormatError>([] { check_json_names(Json::array(), {}, "f"); }),
              HasSubstr("not an object"));
}

}  // namespace
}  // namespace yona
