#include "yona/data/images/picture_folder.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/images/late_pictures.h"

#include "tests/data/images/picture_files.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PictureFolders : public ::testing::Test {
 protected:
  void put(const std::string& name, const std::string& bytes) {
    fs::create_directories((folder_ / name).parent_path());
    write_bytes(folder_ / name, bytes);
  }
  static std::string grey(char value) {
    return png_bytes(2, 1, 8, PNG_COLOR_TYPE_GRAY, {std::string(2, value)});
  }
  LabelledImages read(const std::vector<std::string>& labels, bool resizes = true,
                      std::int64_t memory = 1000) {
    return read_pictures(list_pictures(folder_.path()), labels,
                         {.shape = {1, 2, 1},
                          .processor = {.resizes = resizes, .height = 1, .width = 2},
                          .pool = &pool_,
                          .memory = memory});
  }

  TempDir folder_;
  ThreadPool pool_{1};
};

TEST_F(PictureFolders, ClassesAndFilesAreInOrder) {
  put("dog/b.PNG", grey('b'));
  put("dog/a.png", grey('a'));
  put("dog/notes.txt", "not read");
  put("cat/more/c.png", grey('c'));
  put("readme.txt", "not read either");
  const PictureFolder listed = list_pictures(folder_.path());
  EXPECT_THAT(listed.classes, ElementsAre("cat", "dog"));
  const LabelledImages images = read(listed.classes);
  EXPECT_THAT(images.pixels, ElementsAre('c', 'c', 'a', 'a', 'b', 'b'));
  EXPECT_THAT(images.labels, ElementsAre(0, 1, 1));
  EXPECT_THAT(read({"dog", "cat"}).labels, ElementsAre(1, 0, 0));
  EXPECT_THAT(message_of<FormatError>([&] {
                read({"cat", "horse"});
              }),
              HasSubstr("dog: the label is unknown; those of the training data are cat, horse"));
}

TEST_F(PictureFolders, PicturesAreMadeAlike) {
  put("a/small.png", grey('x'));
  put("b/large.png", png_bytes(4, 2, 8, PNG_COLOR_TYPE_RGB, {"aaaaaaaaaaaa", "aaaaaaaaaaaa"}));
  EXPECT_THAT(read({"a", "b"}).pixels, ElementsAre('x', 'x', 'a', 'a'));
  EXPECT_THAT(message_of<FormatError>([&] {
                read({"a", "b"}, false);
              }),
              HasSubstr("large.png: has 2 × 4 pixels, others 1 × 2; data.image_size says"));
}

TEST_F(PictureFolders, WhatMemoryDoesNotHoldIsReadAgain) {
  put("a/1.png", grey('1'));
  put("a/2.png", grey('2'));
  put("a/3.png", grey('3'));
  const LabelledImages all = read({"a"});
  const LabelledImages one = read({"a"}, true, 3);
  EXPECT_EQ(all.late, nullptr);
  EXPECT_THAT(one.pixels, ElementsAre('1', '1'));
  EXPECT_EQ(one.count(), 3);
  EXPECT_EQ(one.kept(), 1);
  EXPECT_EQ(read({"a"}, true, 0).kept(), 0);
  EXPECT_EQ(read({"a"}, true, 0).count(), 3);
  ASSERT_TRUE(one.summary && all.summary);
  EXPECT_EQ(one.summary->crc64, all.summary->crc64);
  EXPECT_EQ(one.summary->counts, all.summary->counts);
  std::vector<std::uint8_t> bytes(2);
  one.late->read(2, bytes.data());
  EXPECT_THAT(bytes, ElementsAre('3', '3'));
}

TEST_F(PictureFolders, APictureThatIsNotWhatItWasIsNamed) {
  put("a/1.png", grey('1'));
  const LabelledImages images = read({"a"}, true, 0);
  std::vector<std::uint8_t> bytes(2);
  put("a/1.png", grey('2'));
  EXPECT_THAT(message_of<FormatError>([&] { images.late->read(0, bytes.data()); }),
              HasSubstr("a/1.png: changed since the run read it first"));
  fs::remove(folder_ / "a/1.png");
  EXPECT_THAT(message_of<IoError>([&] { images.late->read(0, bytes.data()); }),
              HasSubstr("a/1.png"));
}

// The header of a PNG file with other numbers of pixels; the rest stays as it was.
std::string with_png_size(std::string bytes, std::uint32_t width, std::uint32_t height) {
  const auto put = [&bytes](std::size_t at, std::uint32_t number) {
    for (std::size_t i = 0; i < 4; ++i) {
      bytes[at + i] = static_cast<char>((number >> (24U - 8U * i)) & 0xFFU);
    }
  };
  put(16, width);
  put(20, height);
  std::uint32_t crc = 0xFFFFFFFFU;  // of the chunk's name and data
  for (std::size_t at = 12; at < 29; ++at) {
    crc ^= static_cast<std::uint8_t>(bytes[at]);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    }
  }
  put(29, ~crc);
  return bytes;
}

std::string with_jpeg_size(std::string bytes, std::uint16_t width, std::uint16_t height) {
  const std::size_t frame = bytes.find("\xFF\xC0");
  EXPECT_NE(frame, std::string::npos);
  for (const auto& [at, number] : {std::pair(frame + 5, height), std::pair(frame + 7, width)}) {
    bytes[at] = static_cast<char>(number >> 8U);
    bytes[at + 1] = static_cast<char>(number & 0xFFU);
  }
  return bytes;
}

TEST_F(PictureFolders, EveryKindOfPictureIsReadAsViewersShowIt) {
  const std::string clear("\x10\x20\x30\x00\x10\x20\x30\x00", 8);
  const std::string wide("\x40\x00\x40\x00\x40\x00\x40\x00\x40\x00\x40\x00", 12);
  std::string ink;
  for (int i = 0; i < 64; ++i) {
    ink += std::string("\xFF\xFF\xFF\x00", 4);  // black alone
  }
  // An upright camera: what lies on the left is seen on top, and both columns are alike.
  std::string on_its_side;
  for (int i = 0; i < 8; ++i) {
    on_its_side += std::string(8, '\xF0') + std::string(8, '\x10');
  }
  put("a/1-clear.png", png_bytes(2, 1, 8, PNG_COLOR_TYPE_RGBA, {clear}));
  put("a/2-sixteen.png", png_bytes(2, 1, 16, PNG_COLOR_TYPE_RGB, {wide}));
  put("a/3-ink.jpg", jpeg_bytes(8, 8, ink, {.colours = JCS_CMYK}));
  put("a/4-grey.jpeg", jpeg_bytes(8, 8, std::string(64, '\x50'), {.colours = JCS_GRAYSCALE}));
  put("a/5-upright.jpg",
      jpeg_bytes(16, 8, on_its_side, {.colours = JCS_GRAYSCALE, .orientation = 6}));
  const LabelledImages images = read({"a"});
  EXPECT_THAT(images.pixels, ElementsAre(255, 255, 0x40, 0x40, 0, 0, 0x50, 0x50, 0x80, 0x80));
}

TEST_F(PictureFolders, PicturesThatCannotBeReadAreNamed) {
  const std::string jpeg = jpeg_bytes(8, 8, std::string(64, '\x50'), {.colours = JCS_GRAYSCALE});
  const auto refusal = [this](const std::string& name, const std::string& bytes) {
    put("a/" + name, bytes);
    const std::string message = message_of<FormatError>([&] { read({"a"}); });
    fs::remove(folder_ / "a" / name);
    EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 0);
    return message;
  };
  EXPECT_THAT(refusal("cut.jpg", jpeg.substr(0, jpeg.size() - 4)),
              HasSubstr("a/cut.jpg: the JPEG picture ends early; is the file complete?"));
  EXPECT_THAT(refusal("huge.png", with_png_size(grey('x'), 40000, 40000)),
              HasSubstr("a/huge.png: has 40000 × 40000 pixels, more than the 134217728 that are "
                        "read; make it smaller"));
  EXPECT_THAT(refusal("huge.jpg", with_jpeg_size(jpeg, 65500, 65500)),
              HasSubstr("a/huge.jpg: has 65500 × 65500 pixels, more than"));
  EXPECT_THAT(refusal("animated.png", "GIF89a"),
              HasSubstr("a/animated.png: is not a picture that can be read; PNG and JPEG are"));
  EXPECT_THAT(refusal("empty.jpg", ""), HasSubstr("a/empty.jpg: is not a picture"));
}

TEST_F(PictureFolders, WhatIsMissingOrDamagedIsNamed) {
  EXPECT_THAT(message_of<FormatError>([&] { list_pictures(folder_.path()); }),
              HasSubstr("has no sub-folders"));
  put("a/x.txt", "");
  EXPECT_THAT(message_of<FormatError>([&] { list_pictures(folder_.path()); }),
              HasSubstr("a: has no .png, .jpg or .jpeg files"));
  put("a/cut.png", grey('x').substr(0, 40));
  EXPECT_THAT(message_of<FormatError>([&] { read({"a"}); }),
              HasSubstr("cut.png: the PNG picture ends early"));
  EXPECT_THAT(message_of<IoError>([] { list_pictures("/nonexistent"); }),
              HasSubstr("/nonexistent: cannot read the folder"));
}

}  // namespace
}  // namespace yona::testing
