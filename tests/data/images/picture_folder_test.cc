#include "yona/data/images/picture_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

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
  LabelledImages read(const std::vector<std::string>& labels, bool resizes = true) {
    ImageProcessor processor{.resizes = resizes, .height = 1, .width = 2};
    return read_pictures(list_pictures(folder_.path()), labels, {1, 2, 1}, processor, &pool_);
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
