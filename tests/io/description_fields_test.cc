// tests/fixtures/descriptions.json holds a whole config.json of yona's own and the descriptions of
// published families, as version 0.1 wrote them: they must stay the same, byte for byte.
#include "yona/io/description_fields.h"

#include <set>

#include <gtest/gtest.h>

#include "yona/io/huggingface.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;

Json fixture() { return read_json(fs::path(YONA_FIXTURES) / "descriptions.json"); }

TEST(DescriptionFields, AnOwnConfigIsReadAndWrittenUnchanged) {
  const Json config = fixture()["own"];
  const TempDir folder;
  write_json(folder / "config.json", config);
  const ModelInfo info = read_model_info(folder.path());
  EXPECT_EQ(info.config.norm, NormPosition::pre);
  EXPECT_EQ(info.config.positions, PositionKind::learned);
  EXPECT_EQ(model_config(info).dump(), config.dump());
}

TEST(DescriptionFields, FamiliesAreDescribedAsBefore) {
  const Json families = fixture()["families"];
  EXPECT_EQ(families.size(), 7U);
  for (const auto& [name, description] : families.items()) {
    const ModelInfo info = read_model_info(fs::path(YONA_FIXTURES) / "families" / name);
    EXPECT_EQ(huggingface_config(describe(info))["yona"].dump(), description.dump()) << name;
  }
}

TEST(DescriptionFields, EveryKeyOccursOnceAndIsWritten) {
  ModelDescription description;
  ModelInfo info;
  std::set<std::string> keys;
  for_each_field(description, info, [&](const char* key, const auto&, const auto&) {
    EXPECT_TRUE(keys.insert(key).second) << key;
  });
  description.task = "parsing";  // written only where they are not the default
  description.arch = "rnn";
  const Json json = to_json(description);
  EXPECT_EQ(json.size(), keys.size());
  for (const std::string& key : keys) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

}  // namespace
}  // namespace yona::testing
