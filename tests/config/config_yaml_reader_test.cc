#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/config/config_yaml.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using ::testing::StartsWith;

std::string error_of(std::string_view text) {
  const std::string message = message_of<FormatError>([&] { parse_yaml(text, "c.yaml"); });
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

TEST(ConfigYaml, ReadsMapsListsAndScalarsWithTheirLines) {
  const ConfigNode root =
      parse_yaml("# comment\na: 1\nb:\n  - x\n  - {c: y}\nd: [p, 'q r']\ne:\n", "c.yaml");
  ASSERT_EQ(root.kind, ConfigNode::Kind::map);
  ASSERT_EQ(root.members.size(), 4U);
  EXPECT_EQ(root.members[0].value.text, "1");
  EXPECT_EQ(root.members[0].value.line, 2);
  EXPECT_EQ(root.members[1].value.items[0].text, "x");
  EXPECT_EQ(root.members[1].value.items[0].line, 4);
  EXPECT_EQ(root.members[1].value.items[1].members[0].value.line, 5);
  EXPECT_EQ(root.members[2].value.items[1].text, "q r");
  EXPECT_EQ(root.members[3].value.kind, ConfigNode::Kind::null);
  EXPECT_EQ(root.members[3].value.line, 7);
}

TEST(ConfigYaml, KeepsScalarsAsTheyAreWritten) {
  const ConfigNode root = parse_yaml("a: no\nb: 0x10\nc: 1e-9\nd: \"\\u00e9\"\n", "c.yaml");
  EXPECT_EQ(root.members[0].value.text, "no");
  EXPECT_EQ(root.members[1].value.text, "0x10");
  EXPECT_EQ(root.members[2].value.text, "1e-9");
  EXPECT_EQ(root.members[3].value.text, "é");
}

TEST(ConfigYaml, GivesNullForAnEmptyFileAndForCommentsAlone) {
  EXPECT_EQ(parse_yaml("", "c.yaml").kind, ConfigNode::Kind::null);
  EXPECT_EQ(parse_yaml("# nothing\n\n", "c.yaml").kind, ConfigNode::Kind::null);
}

TEST(ConfigYaml, RefusesEscapesThatGiveNoCharacter) {
  EXPECT_THAT(error_of("a: 1\nb: \"\\N\"\n"), StartsWith("c.yaml:2: a text is not UTF-8 once"));
}

TEST(ConfigYaml, RefusesRepeatedKeys) {
  EXPECT_EQ(error_of("a: 1\nb: 2\na: 3\n"),
            "c.yaml:3: the key 'a' is repeated; it is on line 1 already");
  EXPECT_THAT(error_of("t: {u: 1, u: 2}"), HasSubstr("the key 'u' is repeated"));
}

TEST(ConfigYaml, RefusesAnchorsAliasesAndTags) {
  EXPECT_THAT(error_of("a: &x 1\nb: *x\n"), StartsWith("c.yaml:1: anchors and aliases"));
  EXPECT_THAT(error_of("a: &x [1]\n"), HasSubstr("anchors and aliases"));
  EXPECT_THAT(error_of("a: &x {b: 1}\n"), HasSubstr("anchors and aliases"));
  EXPECT_THAT(error_of("a: &x\n"), HasSubstr("anchors and aliases"));
  EXPECT_THAT(error_of("a: 1\nb: *.bias\n"), StartsWith("c.yaml:2:"));
  EXPECT_THAT(error_of("a: !!binary aGk=\n"), HasSubstr("the tag"));
  EXPECT_THAT(error_of("a: !mine {}\n"), HasSubstr("the tag !mine is not used here"));
}

TEST(ConfigYaml, RefusesABombOfAliasesAtItsFirstAnchor) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 50; ++i) {
    text += fmt::format("a{0}: &a{0} [*a{1}, *a{1}]\n", i, i - 1);
  }
  EXPECT_THAT(error_of(text), StartsWith("c.yaml:1: anchors and aliases"));
}

TEST(ConfigYaml, RefusesDeepNesting) {
  EXPECT_THAT(error_of("a: " + std::string(100, '[')), HasSubstr("is a bracket left open?"));
  EXPECT_THAT(error_of("a: " + std::string(100, '[') + std::string(100, ']')),
              HasSubstr("nested deeper than 16 levels"));
  EXPECT_NE(error_of("a: " + std::string(500000, '[')), "");
  EXPECT_NE(error_of("a: " + std::string(500000, '{')), "");
  std::string blocks;
  for (int i = 0; i < 1000; ++i) {
    blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  }
  EXPECT_THAT(error_of(blocks), HasSubstr("nested deeper"));
}

TEST(ConfigYaml, RefusesWhatIsNotTextOfReasonableSize) {
  EXPECT_EQ(error_of(std::string_view("a: 1\nb\0c", 9)),
            "c.yaml:2: byte 0x00 is not text; a configuration is YAML");
  EXPECT_THAT(error_of("\x7f\x45LF\x02\x01"), HasSubstr("is not text"));
  EXPECT_THAT(error_of("a: \xff\xfe"), HasSubstr("not UTF-8"));
  EXPECT_THAT(error_of(std::string((1U << 20U) + 1, 'a')),
              HasSubstr("too many for a configuration"));
}

TEST(ConfigYaml, RefusesOddDocuments) {
  EXPECT_THAT(error_of("a: 1\n---\nb: 2\n"), HasSubstr("a second document begins"));
  EXPECT_THAT(error_of("? [a, b]\n: 1\n"), HasSubstr("cannot be a key"));
  EXPECT_THAT(error_of("? {a: b}\n: 1\n"), HasSubstr("cannot be a key"));
  EXPECT_THAT(error_of(": 1\n"), HasSubstr("c.yaml:1: "));
  EXPECT_THAT(error_of("a: [1, 2\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(error_of("a: 1\n b: 2\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(error_of("a: \"x\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(error_of("%YAML 9.9\n---\na: 1\n"), HasSubstr("c.yaml:1: "));
}

}  // namespace
}  // namespace yona
