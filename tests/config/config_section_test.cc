#include "yona/config/config_section.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/config/config_yaml.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

struct SectionSettings {
  std::int64_t updates = 10;
  std::string name = "none";
};

ConfigKeys<SectionSettings> section_keys() {
  return {config_key("train.updates", &SectionSettings::updates, integer_codec({1}), OnResume::free,
                     "…"),
          config_key("name", &SectionSettings::name, text_codec(), OnResume::free, "…")};
}

SectionSettings section_of(std::string_view yaml) {
  SectionSettings settings;
  read_section(settings, parse_yaml(yaml, "c.yaml"), section_keys(), {"", "c.yaml", ""});
  return settings;
}

std::string section_refusal(std::string_view yaml) {
  return testing::message_of<InvalidArgument>([&] { section_of(yaml); });
}

TEST(ConfigSection, NestedMapsAndDottedNamesMeanTheSame) {
  EXPECT_EQ(section_of("train: {updates: 5}").updates, 5);
  EXPECT_EQ(section_of("train.updates: 5").updates, 5);
  EXPECT_EQ(section_of("train:\nname: a").name, "a");  // a section without keys
  EXPECT_EQ(section_of("name: a").updates, 10);        // the rest is left as it is
}

TEST(ConfigSection, NamesWhatIsUnknownRepeatedOrNoSection) {
  EXPECT_EQ(section_refusal("name: a\ntrain: {udpates: 5}"),
            "c.yaml:2: unknown key 'train.udpates'; did you mean train.updates?");
  EXPECT_EQ(section_refusal("updates: 5"),
            "c.yaml:1: unknown key 'updates'; did you mean train.updates?");
  EXPECT_EQ(section_refusal("train.updates: 1\ntrain: {updates: 2}"),
            "c.yaml:2: train.updates is repeated; it is on line 1 already");
  EXPECT_EQ(section_refusal("train: 5"),
            "c.yaml:1: train: expected a section with keys, such as train.updates, got '5'");
}

TEST(ConfigSection, WritesWhatDiffersFromTheDefaults) {
  const ConfigNode written = write_section(SectionSettings{.updates = 7}, section_keys());
  ASSERT_EQ(written.members.size(), 1U);
  EXPECT_EQ(written.members[0].name, "train");
  EXPECT_EQ(written.members[0].value.members[0].name, "updates");
  EXPECT_EQ(written.members[0].value.members[0].value.text, "7");
}

}  // namespace
}  // namespace yona
