#include "yona/io/npz_file.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::yona::testing::message_of;

// Made by numpy 2: savez and savez_compressed of these arrays.
//   a = float32 [[1, 2, 3], [4, 5, 6]], b = int8 "abc", c = float16 [0.5], d = complex64 [1]
std::filesystem::path fixture(const char* name) {
  return std::filesystem::path(YONA_FIXTURES) / "npz" / name;
}

std::vector<float> floats(const NamedArray& array) {
  std::vector<float> values(static_cast<std::size_t>(array.shape.elements()));
  std::memcpy(values.data(), array.data, array.bytes());
  return values;
}

TEST(NpzFile, ReadsStoredAndDeflatedArrays) {
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const NpzFile file(fixture(name));
    EXPECT_THAT(file.names(), ElementsAre("a", "b", "c")) << name;  // d is of a type unknown here
    ASSERT_NE(file.find("a"), nullptr);
    EXPECT_EQ(file.find("a")->shape, (Shape{2, 3}));
    EXPECT_THAT(floats(*file.find("a")), ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(file.find("b")->dtype, DType::i8);
    EXPECT_EQ(std::string_view(static_cast<const char*>(file.find("b")->data), 3), "abc");
    EXPECT_EQ(file.find("c")->dtype, DType::f16);
    EXPECT_EQ(file.find("none"), nullptr);
  }
}

TEST(NpzFile, RefusesOtherFiles) {
  const testing::TempDir folder;
  const auto error_of = [&](const std::string& bytes) {
    testing::write_bytes(folder / "x.npz", bytes);
    return message_of<FormatError>([&] { NpzFile(folder / "x.npz"); });
  };
  EXPECT_THAT(error_of("hello"), HasSubstr("x.npz: not a NumPy archive (.npz)"));
  EXPECT_THAT(error_of("PK\5\6"), HasSubstr("x.npz: not a NumPy archive (.npz)"));
  EXPECT_THAT(error_of(testing::read_bytes(fixture("columns.npz"))),
              HasSubstr("array 'a' is stored by columns"));
  EXPECT_THAT(message_of<IoError>([&] { NpzFile(folder / "none.npz"); }), HasSubstr("none.npz"));
}

// Every file must end in an answer: arrays that lie inside of it, or an error.
void try_file(const std::filesystem::path& path, const std::string& bytes) {
  testing::write_bytes(path, bytes);
  try {
    const NpzFile file(path);
    for (const std::string& name : file.names()) {
      const NamedArray* array = file.find(name);
      std::string copy(static_cast<const char*>(array->data), array->bytes());
      EXPECT_EQ(copy.size(), array->bytes());
    }
  } catch (const Error&) {
  }
}

TEST(NpzFile, SurvivesCutAndChangedFiles) {
  const testing::TempDir folder;
  for (const char* name : {"stored.npz", "deflated.npz"}) {
    const std::string whole = testing::read_bytes(fixture(name));
    for (std::size_t i = 0; i < whole.size(); ++i) {
      try_file(folder / "x.npz", whole.substr(0, i));
      std::string changed = whole;
      changed[i] = static_cast<char>(i % 3 == 0 ? 0 : i % 3 == 1 ? 0x7F : 0xFF);
      try_file(folder / "x.npz", changed);
    }
  }
}

}  // namespace
}  // namespace yona
