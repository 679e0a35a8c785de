#include "yona/data/images/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/data/compress.h"
#include "tests/data/images/idx_files.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

IdxArray idx_of(const std::string& bytes) { return read_idx(*open_bytes(bytes, "x"), "x"); }

std::string idx_refusal(const std::string& bytes) {
  return message_of<FormatError>([&] { idx_of(bytes); });
}

TEST(Idx, ReadsExtentsAndElements) {
  const IdxArray array = idx_of(idx_bytes({2, 3}, "abcdef"));
  EXPECT_THAT(array.extents, ElementsAre(2, 3));
  EXPECT_THAT(array.bytes, ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
}

TEST(Idx, OtherFilesAreRefusedWithTheirFirstBytes) {
  EXPECT_THAT(idx_refusal("\x89PNG"), HasSubstr("x: is not an IDX file: it begins with 89 50 4e"));
  EXPECT_THAT(idx_refusal(""), HasSubstr("x: ends within the header"));
  EXPECT_THAT(idx_refusal(idx_bytes({2}, "ab").substr(0, 6)), HasSubstr("ends within the header"));
}

TEST(Idx, OtherTypesAndTooManyExtentsAreRefused) {
  std::string floats = idx_bytes({1}, "abcd");
  floats[2] = '\x0D';
  EXPECT_THAT(idx_refusal(floats), HasSubstr("type 0x0d; only unsigned bytes"));
  EXPECT_THAT(idx_refusal(idx_bytes({1, 1, 1, 1, 1}, "a")), HasSubstr("has 5 extents"));
}

TEST(Idx, AFileThatEndsEarlyOrGoesOnIsRefused) {
  EXPECT_THAT(idx_refusal(idx_bytes({2, 3}, "abcde")), HasSubstr("ends after 5 of 6 elements"));
  EXPECT_THAT(idx_refusal(idx_bytes({2, 3}, "abcdefg")), HasSubstr("goes on after its 6 elements"));
}

TEST(Idx, AHeaderThatPromisesTooMuchTakesNoMemory) {
  EXPECT_THAT(idx_refusal(idx_bytes({0xFFFFFFFFU, 0xFFFFU, 0xFFFFU}, "abc")),
              HasSubstr("ends after 3 of"));
  EXPECT_THAT(idx_refusal(idx_bytes({0xFFFFFFFFU, 0xFFFFFFFFU, 0xFFFFFFFFU}, "abc")),
              HasSubstr("are too large"));
}

TEST(Idx, PicturesAndLabelsAreReadPlainAndCompressed) {
  const TempDir folder;
  write_bytes(folder / "train-images-idx3-ubyte.gz", gzip(two_sided_pictures(4, 6)));
  write_bytes(folder / "train-labels-idx1-ubyte.xz", xz(two_sided_labels(4)));
  const auto images = folder / "train-images-idx3-ubyte.gz";
  EXPECT_TRUE(is_idx_file(images));
  EXPECT_EQ(idx_labels_of(images), folder / "train-labels-idx1-ubyte.xz");
  const LabelledImages read = read_idx_images(images, idx_labels_of(images));
  EXPECT_EQ(read.shape, (ImageShape{6, 6, 1}));
  EXPECT_EQ(read.count(), 4);
  EXPECT_THAT(read.labels, ElementsAre(0, 1, 0, 1));
  EXPECT_EQ(*read.image(1), 17);  // dark on the left
}

TEST(Idx, LabelsThatAreNotFoundAreNamed) {
  const TempDir folder;
  write_bytes(folder / "a-images", two_sided_pictures(2, 4));
  write_bytes(folder / "b", two_sided_pictures(2, 4));
  EXPECT_THAT(message_of<IoError>([&] { idx_labels_of(folder / "a-images"); }),
              HasSubstr("no labels beside it; looked for"));
  EXPECT_THAT(message_of<IoError>([&] { idx_labels_of(folder / "b"); }),
              HasSubstr("expected a name with 'images'"));
}

TEST(Idx, LabelsAndPicturesMustBeAsMany) {
  const TempDir folder;
  write_bytes(folder / "images", two_sided_pictures(2, 4));
  write_bytes(folder / "labels", two_sided_labels(3));
  EXPECT_THAT(
      message_of<FormatError>([&] { read_idx_images(folder / "images", folder / "labels"); }),
      HasSubstr("has 3 labels, but"));
}

TEST(Idx, ShapesThatAreNotPicturesAreRefused) {
  const TempDir folder;
  write_bytes(folder / "a", idx_bytes({2}, "ab"));
  write_bytes(folder / "b", idx_bytes({0, 2, 2}, ""));
  write_bytes(folder / "c", idx_bytes({1, 1, 1, 2}, "ab"));
  EXPECT_THAT(message_of<FormatError>([&] { read_idx_images(folder / "a"); }),
              HasSubstr("has 1 extents; pictures have 3"));
  EXPECT_THAT(message_of<FormatError>([&] { read_idx_images(folder / "b"); }),
              HasSubstr("has no pictures"));
  EXPECT_THAT(message_of<FormatError>([&] { read_idx_images(folder / "c"); }),
              HasSubstr("2 channels; expected"));
}

}  // namespace
}  // namespace yona::testing
