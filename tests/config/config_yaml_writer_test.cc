#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/config/config_yaml.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

TEST(YamlWriter, AnEmptyMapStaysOne) {
  EXPECT_EQ(to_yaml(ConfigNode::map()), "{}\n");
  EXPECT_TRUE(parse_yaml(to_yaml(ConfigNode::map()), "f") == ConfigNode::map());
}

TEST(ConfigYaml, WritesWhatItReadsBack) {
  ConfigNode root = ConfigNode::map();
  ConfigNode section = ConfigNode::map();
  for (const std::string text :
       {"",     "plain",   "a/b.c", "no",        "Null",        "~",       "true",
        "-",    "- x",     "a: b",  "#c",        "x #y",        "*a",      "&a",
        "1",    "1.5e-09", "-3",    "0x1F",      ".5",          ">>de<<",  "<BT>",
        "it's", "\"q\"",   "a\\b",  "tab\there", "two\nlines",  " space ", "é漢😀",
        "%",    "@",       "`",     "[x]",       "{y}",         "!t",      "|",
        "?",    "a,b",     "nan",   "..",        "/abs path/f", "\x01\x7f"}) {
    section.members.push_back(
        {fmt::format("k{}", section.members.size()), ConfigNode::scalar(text)});
    section.members.push_back(
        {fmt::format("l{}", section.members.size()), ConfigNode::list({text, "x", text})});
  }
  root.members.push_back({"top", ConfigNode::scalar("1")});
  root.members.push_back({"part", section});
  ConfigNode list = ConfigNode::list({});
  list.items = {section, section};
  root.members.push_back({"list", list});
  root.members.push_back({"none", ConfigNode::list({})});
  root.members.push_back({"nothing", {}});
  const std::string yaml = to_yaml(root);
  EXPECT_TRUE(parse_yaml(yaml, "c.yaml") == root) << yaml;
}

TEST(ConfigYaml, WritesShapesThatNoConfigurationHas) {
  for (const std::string text :
       {"a: [1, [2, {x: null, y: []}]]", "a: [null, {}]", "a: {}", "a: [{b: 1}, {}]",
        "\"two words\": {\"#\": 1, 'null': 2}", "a: [[], [[]]]"}) {
    const ConfigNode node = parse_yaml(text, "c.yaml");
    EXPECT_TRUE(parse_yaml(to_yaml(node), "c.yaml") == node) << to_yaml(node);
  }
}

TEST(ConfigYaml, WritesTheWayAPersonWould) {
  ConfigNode root = ConfigNode::map();
  ConfigNode item = ConfigNode::map();
  item.members = {{"name", ConfigNode::scalar("train")},
                  {"source", ConfigNode::list({"a b.en", "c.en"})}};
  ConfigNode list = ConfigNode::list({});
  list.items = {item};
  ConfigNode data = ConfigNode::map();
  data.members = {{"train", list, "the corpora"}, {"cache", ConfigNode::scalar(""), "", true}};
  root.members = {{"preset", ConfigNode::scalar("tiny")}, {"data", data}};
  EXPECT_EQ(to_yaml(root),
            "preset: tiny\n"
            "\n"
            "data:\n"
            "  # the corpora\n"
            "  train:\n"
            "    - name: train\n"
            "      source: [\"a b.en\", c.en]\n"
            "  # cache: \"\"\n");
}

TEST(ConfigYaml, RefusesToWriteWhatIsNotUtf8) {
  ConfigNode root = ConfigNode::map();
  root.members = {{"path", ConfigNode::scalar("bad\xff")}};
  EXPECT_THAT(message_of<InvalidArgument>([&] { to_yaml(root); }), HasSubstr("not UTF-8"));
}

}  // namespace
}  // namespace yona
