#include "yona/train/tensorboard.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/file_size_limit.h"
#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::yona::testing::FileSizeLimit;
using ::yona::testing::message_of;
using ::yona::testing::read_bytes;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

// The data of each record; fails the test when a checksum is wrong.
std::vector<std::string> records(const std::string& file) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < file.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data() + at, sizeof length);
    const std::string data = file.substr(at + 12, length);
    EXPECT_EQ(hex(tensorboard_record(data)), hex(file.substr(at, length + 16)));
    result.push_back(data);
    at += length + 16;
  }
  return result;
}

TEST(TensorBoard, ChecksumIsCastagnolis) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);  // the check value that the CRC catalogues give
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(TensorBoard, RecordsHaveTheseBytes) {  // made by tensorboard 2.21's RecordWriter
  EXPECT_EQ(hex(tensorboard_record("hello")), "0500000000000000eab2043e68656c6c6fbb1f1c19");
  EXPECT_EQ(hex(tensorboard_record("")), "000000000000000029039807d8ea82a2");
}

TEST(TensorBoard, ScalarsHaveTheseBytes) {  // made by tensorboard 2.21's event_pb2
  EXPECT_EQ(hex(scalar_event(1.5, 300, "loss", 2.0F)),
            "09000000000000f83f10ac022a0d0a0b0a046c6f73731500000040");
  EXPECT_EQ(hex(scalar_event(1.5, 0, "a/b", -0.5F)),
            "09000000000000f83f2a0c0a0a0a03612f6215000000bf");
}

TEST(TensorBoard, WritesTheVersionThenEveryScalar) {
  const TempDir dir;
  std::filesystem::path path;
  {
    TensorBoardWriter board(dir / "logs");
    path = board.path();
    board.scalar("loss", 1, 4.5);
    board.scalar("loss", 2, std::numeric_limits<double>::quiet_NaN());
    board.flush();
    EXPECT_EQ(records(read_bytes(path)).size(), 3U);
    board.scalar("loss", 3, 1e300);  // infinite as a float
  }
  const std::vector<std::string> all = records(read_bytes(path));
  ASSERT_EQ(all.size(), 4U);
  EXPECT_THAT(all[0], HasSubstr("brain.Event:2"));
  EXPECT_THAT(all[1], HasSubstr("loss"));
  EXPECT_THAT(path.filename().string(), StartsWith("events.out.tfevents."));
}

TEST(TensorBoard, ResumingOpensANewFileThatSaysFromWhere) {
  const TempDir dir;
  const TensorBoardWriter first(dir.path());
  const TensorBoardWriter second(dir.path(), 500);
  EXPECT_NE(first.path(), second.path());
  EXPECT_EQ(records(read_bytes(first.path())).size(), 1U);
  const std::vector<std::string> all = records(read_bytes(second.path()));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(hex(all[1].substr(9)), "10f5033a020801");  // step 501, session_log { START }
}

TEST(TensorBoard, FlushesByItselfWhenMuchIsPending) {
  const TempDir dir;
  TensorBoardWriter board(dir.path());
  for (int step = 0; step < 5000; ++step) {
    board.scalar("loss", step, 0);
  }
  EXPECT_GT(std::filesystem::file_size(board.path()), 100'000U);
}

TEST(TensorBoard, NamesWhatCannotBeWritten) {
  const TempDir dir;
  write_bytes(dir / "file", "");
  EXPECT_THAT(message_of<IoError>([&] { TensorBoardWriter(dir / "file/logs"); }),
              HasSubstr("cannot make folder"));
  TensorBoardWriter board(dir.path());
  const FileSizeLimit limit(100);
  board.scalar("a long enough tag to pass the limit of this test's files", 1, 0);
  EXPECT_THAT(message_of<IoError>([&] { board.flush(); }), HasSubstr("events.out.tfevents"));
}

}  // namespace
}  // namespace yona
