#include "yona/tasks/image_classification/picture_files.h"

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

class PictureFilesOfARun : public ::testing::Test {
 protected:
  void put(const std::string& name, std::uint32_t width) {
    fs::create_directories((folder_ / name).parent_path());
    write_bytes(folder_ / name,
                png_bytes(width, 1, 8, PNG_COLOR_TYPE_GRAY, {std::string(width, 'x')}));
  }
  static ImagesConfig config(std::vector<fs::path> train, std::int64_t size = 0,
                             bool grey = false) {
    ImagesConfig made;
    made.train = std::move(train);
    made.image_size = size;
    made.grey = grey;
    return made;
  }
  TrainingPictures read(const ImagesConfig& settings, const ImageModelInfo* started = nullptr) {
    PictureMemory memory;
    return read_training_pictures(settings, started, memory);
  }

  TempDir folder_;
};

TEST_F(PictureFilesOfARun, ANewModelTakesPicturesAsTheyAreOrInTheSizeThatIsAskedFor) {
  put("t/a/1.png", 3);
  put("t/b/2.png", 3);
  const TrainingPictures as_they_are = read(config({folder_ / "t"}));
  EXPECT_EQ(as_they_are.files[0].shape, (ImageShape{1, 3, 3}));
  EXPECT_THAT(as_they_are.labels, ElementsAre("a", "b"));
  const TrainingPictures resized = read(config({folder_ / "t"}, 4, true));
  EXPECT_EQ(resized.files[0].shape, (ImageShape{4, 4, 1}));
  put("t/b/3.png", 5);
  EXPECT_THAT(message_of<FormatError>([&] { read(config({folder_ / "t"})); }),
              HasSubstr("3.png: has 1 × 5 pixels, others 1 × 3"));
}

TEST_F(PictureFilesOfARun, SeveralFoldersShareTheirLabels) {
  put("t/a/1.png", 3);
  put("u/c/2.png", 3);
  put("u/b/2.png", 3);
  const TrainingPictures pictures = read(config({folder_ / "t", folder_ / "u"}));
  EXPECT_THAT(pictures.labels, ElementsAre("a", "b", "c"));
  EXPECT_THAT(pictures.files[1].labels, ElementsAre(1, 2));
  EXPECT_THAT(message_of<FormatError>([&] { read(config({folder_ / "t"})); }),
              HasSubstr("has one sub-folder alone"));
}

TEST_F(PictureFilesOfARun, AStartedModelDecidesTheSize) {
  put("t/a/1.png", 3);
  put("t/b/2.png", 30);
  ImageModelInfo info;
  info.config.image_height = info.config.image_width = 8;
  info.config.channels = 3;
  info.processor.height = info.processor.width = 8;
  EXPECT_EQ(read(config({folder_ / "t"}), &info).files[0].shape, (ImageShape{8, 8, 3}));
  EXPECT_THAT(message_of<InvalidArgument>([&] { read(config({folder_ / "t"}, 9), &info); }),
              HasSubstr("data.image_size: is 9, but the model takes 8 × 8 pixels"));
  info.labels = {"a", "b"};
  EXPECT_EQ(read_valid_pictures(folder_ / "t", info, {}).count(), 2);
}

TEST_F(PictureFilesOfARun, AFolderIsRecordedAsAWhole) {
  put("t/a/1.png", 3);
  put("t/b/2.png", 3);
  const ImagesConfig settings = config({folder_ / "t"});
  const Json before = recorded_pictures(settings, read(settings).files);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(before[0]["file"], "t");
  EXPECT_EQ(before, recorded_pictures(settings, read(settings).files));
  put("t/b/3.png", 3);
  EXPECT_NE(before, recorded_pictures(settings, read(settings).files));
}

TEST_F(PictureFilesOfARun, FoldersShareTheMemoryThatTheyAreGiven) {
  put("t/a/1.png", 3);
  put("t/b/2.png", 3);
  put("u/a/3.png", 3);
  const ImagesConfig settings = config({folder_ / "t", folder_ / "u"});
  PictureMemory memory{.bytes = 20};  // two pictures of 9 bytes
  const TrainingPictures pictures = read_training_pictures(settings, nullptr, memory);
  EXPECT_EQ(pictures.files[0].kept(), 2);
  EXPECT_EQ(pictures.files[1].kept(), 0);
  EXPECT_EQ(pictures.files[1].count(), 1);
  EXPECT_EQ(memory.bytes, 2);
  EXPECT_EQ(recorded_pictures(settings, pictures.files),
            recorded_pictures(settings, read(settings).files));
  ImagesConfig limited = settings;
  limited.memory_mb = 7;
  EXPECT_EQ(picture_memory(limited, nullptr).bytes, 7'000'000);
  EXPECT_GT(picture_memory(settings, nullptr).bytes, 1'000'000);
}

}  // namespace
}  // namespace yona::testing
