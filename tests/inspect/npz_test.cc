// The archive byte by byte: entries, checksums and arrays as zip and NumPy define them. npz_test.py
// asks NumPy itself, where it is installed.

#include <cstring>
#include <map>

#include <gtest/gtest.h>

#include "yona/inspect/export.h"

#include "tests/inspect/small_maps.h"

namespace yona::testing {
namespace {

template <class T>
T number(const std::string& bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

// CRC-32 of the zip format, bit by bit.
std::uint32_t crc(const std::string& bytes) {
  std::uint32_t sum = ~0U;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      sum = (sum >> 1U) ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
    }
  }
  return ~sum;
}

// Walks the directory at the end and checks each entry against its own header.
std::map<std::string, std::string> entries_of(const std::string& zip) {
  std::map<std::string, std::string> entries;
  const std::size_t end = zip.size() - 22;
  EXPECT_EQ(number<std::uint32_t>(zip, end), 0x06054B50U);
  std::size_t at = number<std::uint32_t>(zip, end + 16);
  EXPECT_EQ(at + number<std::uint32_t>(zip, end + 12), end);
  for (int i = 0; i < number<std::uint16_t>(zip, end + 10); ++i) {
    EXPECT_EQ(number<std::uint32_t>(zip, at), 0x02014B50U);
    const auto size = number<std::uint32_t>(zip, at + 24);
    const auto name_size = number<std::uint16_t>(zip, at + 28);
    const auto offset = number<std::uint32_t>(zip, at + 42);
    const std::string name = zip.substr(at + 46, name_size);
    EXPECT_EQ(number<std::uint32_t>(zip, offset), 0x04034B50U);
    EXPECT_EQ(zip.substr(offset + 4, 26), zip.substr(at + 6, 26)) << name;
    EXPECT_EQ(zip.substr(offset + 30, name_size), name);
    entries[name] = zip.substr(offset + 30 + name_size, size);
    EXPECT_EQ(number<std::uint32_t>(zip, at + 16), crc(entries[name])) << name;
    at += 46U + name_size;
  }
  EXPECT_EQ(at, end);
  return entries;
}

std::string header_of(const std::string& npy) {
  EXPECT_EQ(npy.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const auto size = number<std::uint16_t>(npy, 8);
  EXPECT_EQ((10U + size) % 64, 0U);
  const std::string header = npy.substr(10, size);
  return header.substr(0, header.find_last_not_of(" \n") + 1);
}

std::string array_data(const std::string& npy) {
  return npy.substr(10U + number<std::uint16_t>(npy, 8));
}

TEST(AttentionNpz, IsAZipOfArrays) {
  const auto entries = entries_of(attention_npz(small_maps()));
  EXPECT_EQ(entries.size(), 6U);
  const std::string& cross = entries.at("cross.npy");
  EXPECT_EQ(header_of(cross), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3, 3), }");
  const std::string data = array_data(cross);
  ASSERT_EQ(data.size(), 36U * 4);
  EXPECT_EQ(number<float>(data, (9 + 1) * 4), 1.0F);  // layer 1, head 2, row 1 looks at key 2
}

TEST(AttentionNpz, HoldsTokensInUtf32) {
  const auto entries = entries_of(attention_npz(small_maps({"▁ab", "🎈", "</s>"}, {"</s>"})));
  const std::string& tokens = entries.at("source_tokens.npy");
  EXPECT_EQ(header_of(tokens), "{'descr': '<U4', 'fortran_order': False, 'shape': (3,), }");
  const std::string data = array_data(tokens);
  ASSERT_EQ(data.size(), 3U * 4 * 4);
  EXPECT_EQ(number<char32_t>(data, 0), U'▁');
  EXPECT_EQ(number<char32_t>(data, 12), U'\0');
  EXPECT_EQ(number<char32_t>(data, 16), U'🎈');
}

TEST(AttentionNpz, OfEqualMapsHasEqualBytes) {
  EXPECT_EQ(attention_npz(small_maps()), attention_npz(small_maps()));
}

}  // namespace
}  // namespace yona::testing
