#include "yona/base/input_file.h"

#include <string>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

std::string part(const InputFile& file, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, ' ');
  file.read(offset, text.data(), bytes);
  return text;
}

TEST(InputFile, ReadsAnyPart) {
  const TempDir dir;
  write_bytes(dir / "a", "0123456789");
  const InputFile file(dir / "a");
  EXPECT_EQ(file.size(), 10U);
  EXPECT_EQ(part(file, 3, 4), "3456");
  EXPECT_EQ(part(file, 10, 0), "");
  EXPECT_EQ(read_file(dir / "a"), "0123456789");
  write_bytes(dir / "empty", "");
  EXPECT_EQ(read_file(dir / "empty"), "");
}

TEST(InputFile, ThatIsDeletedOrReplacedStaysReadable) {
  const TempDir dir;
  write_bytes(dir / "a", "0123456789");
  const InputFile file(dir / "a");
  write_bytes(dir / "b", "other");
  std::filesystem::rename(dir / "b", dir / "a");
  EXPECT_EQ(part(file, 0, 10), "0123456789");
  std::filesystem::remove(dir / "a");
  EXPECT_EQ(part(file, 0, 10), "0123456789");
}

TEST(InputFile, ThatIsCutOrOverwrittenIsAnError) {
  const TempDir dir;
  write_bytes(dir / "a", std::string(100'000, 'a'));
  const InputFile cut(dir / "a");
  std::filesystem::resize_file(dir / "a", 5000);
  EXPECT_THAT(message_of<FormatError>([&] { part(cut, 50'000, 10); }),
              HasSubstr("was written to while it was in use"));
  EXPECT_THAT(message_of<FormatError>([&] { part(cut, 0, 10); }), HasSubstr("was written to"));
  write_bytes(dir / "b", std::string(100, 'b'));
  const InputFile overwritten(dir / "b");
  std::filesystem::last_write_time(
      dir / "b", std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_THAT(message_of<FormatError>([&] { part(overwritten, 0, 10); }),
              HasSubstr("was written to"));
}

TEST(InputFile, NamesWhatIsNotARegularFile) {
  const TempDir dir;
  EXPECT_THAT(message_of<IoError>([&] { InputFile(dir / "none"); }), HasSubstr("none"));
  EXPECT_THAT(message_of<IoError>([&] { InputFile(dir.path()); }), HasSubstr("not a regular file"));
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);  // does not wait for a writer
  EXPECT_THAT(message_of<IoError>([&] { read_file(dir / "pipe"); }),
              HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace yona
