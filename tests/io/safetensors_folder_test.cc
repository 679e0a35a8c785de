#include "yona/io/safetensors_folder.h"

#include <array>
#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

const std::array<float, 2> kShardFloats = {1, -2};
const std::array<std::int64_t, 2> kShardIntegers = {-1, 1LL << 40};
const std::array<std::uint8_t, 3> kShardBytes = {0, 127, 255};
const std::array<NamedArray, 3> kShardArrays = {
    {{"bytes", DType::u8, {3}, kShardBytes.data()},
     {"b.floats", DType::f32, {2}, kShardFloats.data()},
     {"integers", DType::i64, {2}, kShardIntegers.data()}}};

TEST(SafetensorsFolder, ReadsOneFile) {
  const TempDir dir;
  write_safetensors(dir / "model.safetensors", kShardArrays);
  const SafetensorsFolder folder(dir.path());
  EXPECT_EQ(folder.names().size(), 3U);
  EXPECT_TRUE(folder.find("bytes").has_value());
  EXPECT_FALSE(folder.find("nothing").has_value());
}

class Shards : public ::testing::Test {
 protected:
  Shards() {
    write_safetensors(dir_ / "1.safetensors", {kShardArrays.data(), 2});
    write_safetensors(dir_ / "2.safetensors", {kShardArrays.data() + 2, 1});
  }
  std::string error_for(const std::string& index) const {
    write_bytes(dir_ / "model.safetensors.index.json", index);
    return message_of<FormatError>([&] { SafetensorsFolder{dir_.path()}; });
  }
  TempDir dir_;
};

TEST_F(Shards, AreJoinedByTheirIndex) {
  write_bytes(dir_ / "model.safetensors.index.json", R"({"weight_map": {
    "bytes": "1.safetensors", "b.floats": "1.safetensors", "integers": "2.safetensors"}})");
  const SafetensorsFolder folder(dir_.path());
  EXPECT_THAT(folder.names(), ElementsAre("b.floats", "bytes", "integers"));
  std::array<std::int64_t, 2> integers{};
  folder.find("integers")->copy(0, sizeof(integers), integers.data());
  EXPECT_EQ(std::memcmp(integers.data(), kShardIntegers.data(), sizeof(integers)), 0);
}

TEST_F(Shards, AreRefusedWhenTheIndexIsWrong) {
  EXPECT_THAT(error_for("{"), HasSubstr("index.json: not valid JSON"));
  EXPECT_THAT(error_for("[]"), HasSubstr("no \"weight_map\""));
  EXPECT_THAT(error_for(R"({"weight_map": {"bytes": 3}})"), HasSubstr("'bytes' is not a string"));
  EXPECT_THAT(error_for(R"({"weight_map": {"x": "1.safetensors"}})"),
              HasSubstr("tensor 'x' is not in"));
  EXPECT_THAT(error_for(R"({"weight_map": {"bytes": "../1.safetensors"}})"),
              HasSubstr("not a plain file name"));
  const std::string longest(300, '8');  // no file can have this name
  EXPECT_THAT(error_for(R"({"weight_map": {"bytes": ")" + longest + R"("}})"),
              HasSubstr("is missing; all parts are needed"));
}

TEST(SafetensorsFolder, NamesWhatIsMissing) {
  const TempDir dir;
  EXPECT_THAT(message_of<FormatError>([&] { SafetensorsFolder{dir.path()}; }),
              HasSubstr("no weights: neither model.safetensors nor"));
  write_bytes(dir / "model.safetensors.index.json", R"({"weight_map": {"x": "gone.safetensors"}})");
  EXPECT_THAT(message_of<FormatError>([&] { SafetensorsFolder{dir.path()}; }),
              HasSubstr("index.json: 'gone.safetensors', which has a part of the weights, is "
                        "missing"));
  std::filesystem::remove(dir / "model.safetensors.index.json");
  write_bytes(dir / "model-00001-of-00002.safetensors", "");
  EXPECT_THAT(message_of<FormatError>([&] { SafetensorsFolder{dir.path()}; }),
              HasSubstr("index.json, which says what is in which of its parts"));
}

}  // namespace
}  // namespace yona
