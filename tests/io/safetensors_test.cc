#include "yona/io/safetensors.h"

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/file_size_limit.h"
#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::yona::testing::FileSizeLimit;
using ::yona::testing::message_of;
using ::yona::testing::read_bytes;
using ::yona::testing::TempDir;

const std::array<float, 6> kSixFloats = {1, -2, 3.5F, 0, 1e-30F, 6};
const std::array<std::int64_t, 2> kIntegers = {-1, 1LL << 40};
const std::array<std::uint8_t, 3> kBytes = {0, 127, 255};

std::vector<NamedArray> example() {
  return {{"bytes", DType::u8, {3}, kBytes.data()},
          {"b.floats", DType::f32, {2, 3}, kSixFloats.data()},
          {"a.floats", DType::f32, {6, 1, 1, 1}, kSixFloats.data()},
          {"integers", DType::i64, {2}, kIntegers.data()},
          {"none", DType::f32, {0, 5}, nullptr},
          {"scalar", DType::f32, {}, kSixFloats.data()}};
}

TEST(Safetensors, ReadsBackNamesTypesShapesValuesAndMetadata) {
  const TempDir dir;
  write_safetensors(dir / "a.safetensors", example(), {{"format", "pt"}, {"quote", "\"é\n"}});
  const SafetensorsFile file(dir / "a.safetensors");
  EXPECT_EQ(file.metadata(), (SafetensorsMetadata{{"format", "pt"}, {"quote", "\"é\n"}}));
  EXPECT_EQ(file.arrays().size(), 6U);
  for (const NamedArray& expected : example()) {
    const auto found = file.find(expected.name);
    ASSERT_TRUE(found.has_value()) << expected.name;
    EXPECT_EQ(found->dtype, expected.dtype);
    EXPECT_EQ(found->shape, expected.shape);
    if (expected.bytes() > 0) {
      EXPECT_EQ(std::memcmp(found->data, expected.data, expected.bytes()), 0) << expected.name;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(found->data) % size_of(found->dtype), 0U);
    }
  }
  EXPECT_FALSE(file.find("other").has_value());
}

TEST(Safetensors, WritesWiderTypesFirstThenByNameWhateverTheOrderGiven) {
  const TempDir dir;
  std::vector<NamedArray> arrays = example();
  write_safetensors(dir / "a", arrays);
  std::reverse(arrays.begin(), arrays.end());
  write_safetensors(dir / "b", arrays);
  EXPECT_EQ(read_bytes(dir / "a"), read_bytes(dir / "b"));
  EXPECT_THAT(SafetensorsFile(dir / "a").names(),
              ElementsAre("integers", "a.floats", "b.floats", "none", "scalar", "bytes"));
}

TEST(Safetensors, WritesTheseExactBytes) {
  const TempDir dir;
  const NamedArray one{"x", DType::f32, {1}, kSixFloats.data()};
  write_safetensors(dir / "a", {&one, 1}, {{"format", "pt"}});
  std::string header =
      R"({"__metadata__":{"format":"pt"},"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  header.resize(88, ' ');
  EXPECT_EQ(read_bytes(dir / "a"),
            std::string("\x58\0\0\0\0\0\0\0", 8) + header + std::string("\0\0\x80\x3f", 4));
}

TEST(Safetensors, AFileWithoutTensorsIsValid) {
  const TempDir dir;
  write_safetensors(dir / "a", {});
  EXPECT_TRUE(SafetensorsFile(dir / "a").names().empty());
}

TEST(Safetensors, ArraysOutliveAMove) {
  const TempDir dir;
  write_safetensors(dir / "a", example());
  SafetensorsFile file(dir / "a");
  const NamedArray array = *file.find("b.floats");
  const std::vector<SafetensorsFile> moved = [&] {
    std::vector<SafetensorsFile> files;
    files.push_back(std::move(file));
    return files;
  }();
  EXPECT_EQ(std::memcmp(array.data, kSixFloats.data(), array.bytes()), 0);
  EXPECT_EQ(moved[0].find("b.floats")->data, array.data);
}

TEST(Safetensors, RefusesToWriteANameTwice) {
  const TempDir dir;
  const std::vector<NamedArray> twice = {example()[0], example()[0]};
  EXPECT_THAT(message_of<InvalidArgument>([&] { write_safetensors(dir / "a", twice); }),
              HasSubstr("tensor 'bytes' is given twice"));
  const NamedArray reserved{"__metadata__", DType::u8, {3}, kBytes.data()};
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                write_safetensors(dir / "a", {&reserved, 1});
              }),
              HasSubstr("cannot be called __metadata__"));
}

TEST(Safetensors, SaysWhichFileAndHowManyBytesWhenThereIsNoRoom) {
  const TempDir dir;
  const std::vector<float> big(10000);
  const NamedArray array{"big", DType::f32, {10000}, big.data()};
  const FileSizeLimit limit(8192);
  EXPECT_THAT(message_of<IoError>([&] {
                write_safetensors(dir / "w.safetensors", {&array, 1});
              }),
              AllOf(HasSubstr("w.safetensors"), HasSubstr("40072 bytes were needed")));
}

}  // namespace
}  // namespace yona
