// Hostile headers: each must end in a FormatError that names the file and, where there is one, the
// tensor.

#include "yona/io/safetensors_header.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::yona::testing::message_of;

std::string file_of(const std::string& json, std::size_t data_bytes) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0, length = json.size(); i < 8; ++i, length >>= 8U) {
    bytes[i] = static_cast<char>(length & 0xffU);
  }
  return bytes + json + std::string(data_bytes, 'd');
}

std::string header_error(const std::string& bytes) {
  const std::string message =
      message_of<FormatError>([&] { parse_safetensors_header(bytes, "weights.st"); });
  EXPECT_THAT(message, StartsWith("weights.st: "));
  return message;
}

std::string header_error(const std::string& json, std::size_t data_bytes) {
  return header_error(file_of(json, data_bytes));
}

std::string tensor(const std::string& name, const std::string& offsets) {
  return fmt::format(R"("{}": {{"dtype": "U8", "shape": [4], "data_offsets": {}}})", name, offsets);
}

std::string object(const std::string& first) { return fmt::format("{{{}}}", first); }

std::string object(const std::string& first, const std::string& second) {
  return fmt::format("{{{}, {}}}", first, second);
}

TEST(SafetensorsHeader, AcceptsPaddingAnyOrderOfTensorsAndUnknownFields) {
  const std::string json =
      object(R"("b": {"dtype":"U8","shape":[2,2],"data_offsets":[4,8],"new":[]})",
             tensor("a", "[0, 4]")) +
      "   ";
  const SafetensorsHeader header = parse_safetensors_header(file_of(json, 8), "f");
  ASSERT_EQ(header.entries.size(), 2U);
  EXPECT_EQ(header.entries[0].name, "a");
  EXPECT_EQ(header.entries[1].shape, (Shape{2, 2}));
  EXPECT_EQ(header.entries[1].begin, 4U);
  EXPECT_EQ(header.data_begin, 8 + json.size());
}

TEST(SafetensorsHeader, RefusesFilesThatEndTooEarly) {
  EXPECT_THAT(header_error(""), HasSubstr("0 bytes, shorter than the length in front"));
  EXPECT_THAT(header_error("\1\0\0"), HasSubstr("shorter than the length in front"));
  EXPECT_THAT(header_error(file_of("{}", 0).substr(0, 9)),
              HasSubstr("truncated: the header of 2 bytes reaches beyond the file of 9"));
}

TEST(SafetensorsHeader, RefusesAnAbsurdHeaderLength) {
  EXPECT_THAT(header_error(std::string(64, '\xff')), HasSubstr("above the limit"));
}

TEST(SafetensorsHeader, RefusesBadJson) {
  EXPECT_THAT(header_error("", 0), HasSubstr("not valid JSON"));
  EXPECT_THAT(header_error("{\"a\": ", 0), HasSubstr("not valid JSON"));
  EXPECT_THAT(header_error("{\"\xff\": 1}", 0), HasSubstr("not valid JSON"));
  EXPECT_THAT(header_error("{\"a\": 1e999}", 0), HasSubstr("not valid JSON"));
  EXPECT_THAT(header_error("[]", 0), HasSubstr("not an object"));
  EXPECT_THAT(header_error(std::string(100000, '['), 0), HasSubstr("not valid JSON"));
}

TEST(SafetensorsHeader, RefusesANameListedTwice) {
  EXPECT_THAT(header_error(object(tensor("a", "[0, 4]"), tensor("a", "[4, 8]")), 8),
              HasSubstr("tensor 'a' is listed twice"));
}

TEST(SafetensorsHeader, RefusesAFieldGivenTwice) {
  EXPECT_THAT(header_error(R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4],
                                     "dtype": "F32"}})",
                           4),
              HasSubstr("tensor 'a': \"dtype\" is given twice"));
}

TEST(SafetensorsHeader, RefusesTensorsWithoutWhatIsNeeded) {
  EXPECT_THAT(header_error(R"({"a": 3})", 0), HasSubstr("tensor 'a': its description is not an"));
  EXPECT_THAT(header_error(R"({"a": {}})", 0), HasSubstr("tensor 'a': no \"dtype\""));
  EXPECT_THAT(header_error(R"({"a": {"dtype": "U8"}})", 0), HasSubstr("tensor 'a': no \"shape\""));
  EXPECT_THAT(header_error(R"({"a": {"dtype": "U8", "shape": []}})", 0), HasSubstr("data_offsets"));
}

TEST(SafetensorsHeader, RefusesUnknownTypes) {
  EXPECT_THAT(header_error(R"({"a": {"dtype": "F4", "shape": [], "data_offsets": [0, 1]}})", 1),
              HasSubstr("tensor 'a': dtype 'F4' is unknown; known are"));
  EXPECT_THAT(header_error(R"({"a": {"dtype": 7, "shape": [], "data_offsets": [0, 1]}})", 1),
              HasSubstr("dtype is not a string"));
}

TEST(SafetensorsHeader, RefusesShapesThatAreNoneOrOverflow) {
  const auto error = [](const std::string& shape) {
    return header_error(
        fmt::format(R"({{"a": {{"dtype": "F32", "shape": {}, "data_offsets": [0, 4]}}}})", shape),
        4);
  };
  EXPECT_THAT(error("7"), HasSubstr("shape is not a list of whole numbers"));
  EXPECT_THAT(error("[-1]"), HasSubstr("shape is not a list of whole numbers"));
  EXPECT_THAT(error("[1.5]"), HasSubstr("shape is not a list of whole numbers"));
  EXPECT_THAT(error("[1,1,1,1,1]"), HasSubstr("rank 5 is above the limit of 4"));
  EXPECT_THAT(error("[18446744073709551615]"), HasSubstr("above 2^63"));
  EXPECT_THAT(error("[4294967296, 4294967296]"), HasSubstr("its 4 bytes do not fit f32"));
  EXPECT_THAT(error("[2]"), HasSubstr("tensor 'a': its 4 bytes do not fit f32 [2]"));
}

TEST(SafetensorsHeader, RefusesOffsetsOutsideTheData) {
  EXPECT_THAT(header_error(object(tensor("a", "[0, 4]")), 3),
              HasSubstr("tensor 'a': it ends at byte 4 of the data, which has 3: truncated"));
  EXPECT_THAT(header_error(object(tensor("a", "[4, 0]")), 4), HasSubstr("must be two numbers"));
  EXPECT_THAT(header_error(object(tensor("a", "[0, 4, 4]")), 4), HasSubstr("must be two numbers"));
  EXPECT_THAT(header_error(object(tensor("a", "[0, \"4\"]")), 4), HasSubstr("whole numbers"));
}

TEST(SafetensorsHeader, RefusesOverlapsAndHoles) {
  EXPECT_THAT(header_error(object(tensor("a", "[0, 4]"), tensor("b", "[2, 6]")), 6),
              HasSubstr("tensor 'b' overlaps"));
  EXPECT_THAT(header_error(object(tensor("a", "[0, 4]"), tensor("b", "[6, 10]")), 10),
              HasSubstr("2 bytes before tensor 'b' belong to none"));
  EXPECT_THAT(header_error(object(tensor("a", "[0, 4]")), 7),
              HasSubstr("3 bytes at the end belong to no tensor"));
}

TEST(SafetensorsHeader, RefusesMetadataThatIsNotStrings) {
  EXPECT_THAT(header_error(R"({"__metadata__": {"a": 1}})", 0), HasSubstr("__metadata__"));
  EXPECT_THAT(header_error(R"({"__metadata__": "a"})", 0), HasSubstr("__metadata__"));
}

}  // namespace
}  // namespace yona
