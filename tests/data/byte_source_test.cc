// Archives read whole, joined, cut off and damaged.

#include "yona/data/byte_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/random.h"

#include "tests/data/compress.h"
#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::TempDir;
using testing::write_bytes;

std::string read_all(ByteSource& source, std::size_t step = 1000) {
  std::string all;
  std::string block(step, '\0');
  for (;;) {
    const std::size_t got = source.read(block.data(), block.size());
    if (got == 0) {
      return all;
    }
    all.append(block, 0, got);
  }
}

std::string unpack(std::string_view bytes, std::size_t step = 1000) {
  return read_all(*open_bytes(bytes, "corpus"), step);
}

// Words at random: compressible, larger than every internal buffer.
std::string long_text() {
  RandomSequence random(3);
  std::string text;
  while (text.size() < 300000) {
    text += std::to_string(random.below(5000)) + (random.below(9) == 0 ? "\n" : " ");
  }
  return text;
}

struct Format {
  const char* name;
  std::string (*pack)(std::string_view);
};

class ByteSourceTest : public ::testing::TestWithParam<Format> {};

TEST_P(ByteSourceTest, GivesBackWhatWasPacked) {
  const std::string text = long_text();
  const std::string packed = GetParam().pack(text);
  EXPECT_LT(packed.size(), text.size());
  for (const std::size_t step : {1UL << 20U, 65536UL, 777UL}) {
    EXPECT_EQ(unpack(packed, step), text);
  }
  EXPECT_EQ(unpack(GetParam().pack("")), "");
  EXPECT_EQ(unpack(GetParam().pack("x"), 1), "x");
}

TEST_P(ByteSourceTest, ReadsSeveralPartsInARowAsOneText) {
  const std::string text = long_text();
  const auto pack = GetParam().pack;
  EXPECT_EQ(unpack(pack("one\n") + pack("") + pack(text) + pack("two")), "one\n" + text + "two");
}

TEST_P(ByteSourceTest, GoesByContentNotByName) {
  const TempDir folder;
  write_bytes(folder / "plain.txt", GetParam().pack("packed\n"));
  EXPECT_EQ(read_all(*open_bytes(folder / "plain.txt")), "packed\n");
  write_bytes(folder / "text.gz", "not packed\n");
  EXPECT_EQ(read_all(*open_bytes(folder / "text.gz")), "not packed\n");
}

TEST_P(ByteSourceTest, AnArchiveThatEndsEarlyIsAnErrorWhereverItIsCut) {
  const std::string packed = GetParam().pack("some text that is long enough to be cut, cut, cut\n");
  for (std::size_t size = 6; size < packed.size(); ++size) {
    const std::string message = message_of<FormatError>([&] { unpack(packed.substr(0, size)); });
    EXPECT_THAT(message, HasSubstr("corpus: ")) << size;
    EXPECT_THAT(message, HasSubstr("ends early, at byte " + std::to_string(size))) << size;
  }
}

TEST_P(ByteSourceTest, ADamagedArchiveIsAnErrorNamingTheOffset) {
  const std::string text = long_text();
  std::string packed = GetParam().pack(text);
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  const std::string message = message_of<FormatError>([&] { unpack(packed); });
  EXPECT_THAT(message, HasSubstr(std::string(GetParam().name) + " data is damaged at byte "));
}

TEST_P(ByteSourceTest, SomethingElseBehindTheArchiveIsAnError) {
  const std::string message =
      message_of<FormatError>([&] { unpack(GetParam().pack("text\n") + "plain text follows"); });
  EXPECT_THAT(message, HasSubstr("is damaged at byte "));
}

INSTANTIATE_TEST_SUITE_P(Formats, ByteSourceTest,
                         ::testing::Values(Format{"gzip", testing::gzip}, Format{"xz", testing::xz},
                                           Format{"zstd", testing::zstd}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ByteSource, ZerosThatPadAGzipFileAreIgnored) {
  EXPECT_EQ(unpack(testing::gzip("text") + std::string(200, '\0')), "text");
}

TEST(ByteSource, ZstdFramesToBeSkippedAreSkipped) {
  const std::string skippable(
      "\x50\x2A\x4D\x18\x03\x00\x00\x00"
      "abc",
      11);
  EXPECT_EQ(unpack(skippable + testing::zstd("text") + skippable), "text");
}

TEST(ByteSource, PlainBytesPassUnchanged) {
  const std::string bytes("\x1F plain \0 bytes \xFF", 17);
  EXPECT_EQ(unpack(bytes, 3), bytes);
  EXPECT_EQ(unpack(""), "");
}

TEST(ByteSource, FilesThatCannotBeOpenedAreIoErrorsWithPathAndReason) {
  const TempDir folder;
  EXPECT_THAT(message_of<IoError>([&] { open_bytes(folder / "none.gz"); }),
              HasSubstr("none.gz: No such file or directory"));
  EXPECT_THAT(message_of<IoError>([&] { open_bytes(folder.path()); }),
              HasSubstr(folder.path().string() + ": Is a directory"));
}

}  // namespace
}  // namespace yona
