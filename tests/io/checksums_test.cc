#include "yona/io/checksums.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/model_files.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::read_bytes;
using ::yona::testing::TempDir;
using ::yona::testing::write_bytes;

TEST(Checksums, AreCrc64OfXz) {
  const TempDir dir;
  write_bytes(dir / "check", "123456789");  // the check value that the CRC catalogues give
  EXPECT_EQ(checksum_file(dir / "check"), (FileChecksum{9, 0x995dc9bbdf1939faULL}));
  write_bytes(dir / "empty", "");
  EXPECT_EQ(checksum_file(dir / "empty"), (FileChecksum{0, 0}));
  EXPECT_THAT(message_of<IoError>([&] { checksum_file(dir / "none"); }), HasSubstr("none"));
}

TEST(Checksums, OfLargeFilesDoNotDependOnBlocks) {
  const TempDir dir;
  write_bytes(dir / "a", std::string(3'000'001, 'a'));
  EXPECT_EQ(checksum_file(dir / "a").bytes, 3'000'001);
}

// Blocks are checksummed by several threads and joined.
TEST(Checksums, OfBlocksAreJoinedToThatOfTheWhole) {
  const TempDir dir;
  std::string text(3'500'003, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<char>(i * i / 7 + i);
  }
  write_bytes(dir / "a", text);
  const FileChecksum whole = checksum_bytes(text);
  ThreadPool pool(2);
  std::string copy(text.size(), ' ');
  EXPECT_EQ(checksum_input(InputFile(dir / "a"), &pool, copy.data()), whole);
  EXPECT_EQ(copy, text);
  EXPECT_EQ(checksum_file(dir / "a"), whole);
  const std::string_view view = text;
  for (const std::size_t cut : {0, 1, 77, 1'048'576, 3'500'002, 3'500'003}) {
    EXPECT_EQ(joined(checksum_bytes(view.substr(0, cut)), checksum_bytes(view.substr(cut))), whole);
  }
}

TEST(Manifest, KnowsTheFileThatIsReplacedAndTheNewOne) {
  const TempDir dir;
  const FileChecksum old = checksum_bytes("old");
  const FileChecksum next = checksum_bytes("next");
  Manifest manifest;
  manifest.replace("a", old, std::nullopt);
  manifest.replace("a", next, old);
  manifest.write(dir.path());
  const Manifest read = Manifest::find(dir.path()).value();
  EXPECT_EQ(read.fault("a", old), "");
  EXPECT_EQ(read.fault("a", next), "");
  EXPECT_EQ(read.fault("b", next), "");  // not listed
  EXPECT_THAT(read.fault("a", checksum_bytes("none")), HasSubstr("checksum"));
  EXPECT_THAT(read.size_fault("a", 7), HasSubstr("it has 7 bytes and should have 4"));
  // a run that was killed and writes the same again records the same
  manifest.replace("a", next, next);
  manifest.write(dir / ".");
  EXPECT_EQ(Manifest::find(dir.path())->fault("a", old), "");
}

class Damage : public ::testing::Test {
 protected:
  Damage() {
    write_bytes(dir_ / "model.safetensors", "weights");
    write_bytes(dir_ / "state.json", "{}");
    write_checksums(dir_.path());
  }
  std::string error() const {
    return message_of<FormatError>([&] { verify_folder(dir_.path()); });
  }
  std::string error_with_manifest(const std::string& text) const {
    write_bytes(dir_ / "checksums.json", text);
    return error();
  }
  TempDir dir_;
};

TEST_F(Damage, IsNotFoundInAWholeFolderNorInFilesNotListed) {
  EXPECT_EQ(error(), "");
  write_bytes(dir_ / "notes.txt", "mine");
  EXPECT_EQ(error(), "");
}

TEST_F(Damage, OfOneBitIsFound) {
  write_bytes(dir_ / "model.safetensors", "weighus");
  EXPECT_THAT(error(), AllOf(HasSubstr("model.safetensors is damaged"), HasSubstr("checksum")));
}

TEST_F(Damage, OfTheSizeIsFound) {
  write_bytes(dir_ / "model.safetensors", "weight");
  EXPECT_THAT(error(), HasSubstr("model.safetensors is damaged: it has 6 bytes and should have 7"));
}

TEST_F(Damage, ByLossOfAFileIsFound) {
  std::filesystem::remove(dir_ / "state.json");
  EXPECT_THAT(error(), HasSubstr("state.json is missing"));
  std::filesystem::remove(dir_ / "checksums.json");
  EXPECT_THAT(error(), HasSubstr("checksums.json is missing"));
}

TEST_F(Damage, OfTheManifestIsFound) {
  EXPECT_THAT(error_with_manifest(""), HasSubstr("checksums.json: not valid JSON"));
  EXPECT_THAT(error_with_manifest("[]"), HasSubstr("checksums.json is damaged"));
  EXPECT_THAT(error_with_manifest(R"({"algorithm": "md5", "files": {}})"), HasSubstr("is damaged"));
  EXPECT_THAT(error_with_manifest(R"({"algorithm": "crc64-xz", "files": {"a": {"bytes": 1}}})"),
              HasSubstr("the entry of a is damaged"));
  EXPECT_THAT(error_with_manifest(R"({"algorithm": "crc64-xz",
                                      "files": {"a": {"bytes": 1, "crc64": "zz"}}})"),
              HasSubstr("the checksum of a is damaged"));
  EXPECT_THAT(error_with_manifest(R"({"algorithm": "crc64-xz", "files": {"../a": {}}})"),
              HasSubstr("not a plain file name"));
}

TEST_F(Damage, IsNotLookedForInAnotherProgramsManifest) {
  for (const char* text : {R"({"model.safetensors": "sha256:00"})", "[]", R"({"algorithm": 3})"}) {
    write_bytes(dir_ / "checksums.json", text);
    EXPECT_FALSE(Manifest::find(dir_.path()).has_value()) << text;
    EXPECT_THAT(message_of<InvalidArgument>([&] { record_checksums(dir_.path()); }),
                HasSubstr("checksums.json: was written by another program, and is not replaced"));
    EXPECT_EQ(read_bytes(dir_ / "checksums.json"), text);
  }
  write_bytes(dir_ / "checksums.json", "{");  // ours, cut off
  EXPECT_NO_THROW(record_checksums(dir_.path()));
}

TEST_F(Damage, ManifestsOfEqualFoldersAreEqual) {
  const std::string first = read_bytes(dir_ / "checksums.json");
  write_checksums(dir_.path());
  EXPECT_EQ(read_bytes(dir_ / "checksums.json"), first);
}

}  // namespace
}  // namespace yona
