// Runs of image classification from files to folders: they learn, and resume to the same bytes.
#include "yona/tasks/image_classification/task.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/data/images/idx.h"
#include "yona/encode/image_model.h"
#include "yona/tasks/image_classification/config_keys.h"
#include "yona/tasks/train.h"

#include "tests/data/images/idx_files.h"
#include "tests/data/images/picture_files.h"
#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ImageClassification : public ::testing::Test {
 protected:
  ImageClassification() {
    write("train", 60);
    write("valid", 8);
  }

  void write(const std::string& name, std::uint32_t count) {
    write_bytes(folder_ / (name + "-images-idx3-ubyte"), two_sided_pictures(count, 8));
    write_bytes(folder_ / (name + "-labels-idx1-ubyte"), two_sided_labels(count));
  }
  RunConfig config(const std::vector<ConfigAssignment>& more = {}) {
    std::vector<ConfigAssignment> settings{{"task", "image-classification", ""},
                                           {"data.train", folder_ / "train-images-idx3-ubyte", ""},
                                           {"data.mirror", "0", ""},
                                           {"data.crop_padding", "1", ""},
                                           {"model.d_model", "16", ""},
                                           {"model.d_ff", "32", ""},
                                           {"model.layers", "2", ""},
                                           {"model.heads", "2", ""},
                                           {"train.batch_tokens", "64", ""},
                                           {"train.learning_rate", "0.003", ""},
                                           {"train.warmup", "1", ""},
                                           {"train.updates", "40", ""},
                                           {"train.save_every", "20", ""},
                                           {"train.valid_every", "20", ""},
                                           {"train.tensorboard", "false", ""}};
    settings.insert(settings.end(), more.begin(), more.end());
    return resolve_config("", settings);
  }
  fs::path run(const std::string& name, const RunConfig& settings, bool resume = false,
               const fs::path& init = {}, int threads = 1) {
    TrainerOptions options{.output = folder_.path() / name, .init = init};
    options.resume = resume;
    options.threads = threads;
    train(settings, options);
    return folder_.path() / name;
  }

  TempDir folder_;
};

std::vector<ImageModel::NamedPicture> pictures_of(const fs::path& file) {
  const LabelledImages images = read_idx_images(file);
  std::vector<ImageModel::NamedPicture> pictures;
  for (std::int64_t i = 0; i < images.count(); ++i) {
    Picture picture(images.shape);
    std::copy_n(images.image(static_cast<std::uint64_t>(i)), picture.pixels.size(),
                picture.pixels.data());
    pictures.push_back({"x", std::move(picture)});
  }
  return pictures;
}

TEST_F(ImageClassification, LearnsWhichSideIsBright) {
  const fs::path folder =
      run("run", config({{"data.valid", folder_ / "valid-images-idx3-ubyte", ""},
                         {"data.labels", "left,right", ""},
                         {"train.updates", "100", ""},
                         {"train.learning_rate", "0.01", ""}}));
  const auto model = ImageModel::load(folder, shared_backend("cpu"));
  const auto answers = model->classify(pictures_of(folder_ / "valid-images-idx3-ubyte"));
  ASSERT_EQ(answers.size(), 8U);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i][0].label, i % 2 == 0 ? "left" : "right");
    EXPECT_GT(answers[i][0].score, 0.6);
  }
  EXPECT_EQ(model->info().family, "vit");
}

TEST_F(ImageClassification, ARunThatGoesOnWritesTheSameBytes) {
  RunConfig half = config({{"train.schedule", "constant", ""}, {"data.erase", "0.5", ""}});
  const RunConfig all = half;
  half.train.updates = 20;
  run("parts", half);
  run("parts", all, true);
  const fs::path one = run("one", all);
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    EXPECT_EQ(read_file(folder_.path() / "parts/checkpoints/step-40" / file),
              read_file(one / "checkpoints/step-40" / file));
  }
}

TEST_F(ImageClassification, TwoThreadsWriteTheSameBytes) {
  const RunConfig settings = config({{"train.updates", "6", ""}, {"model.dropout", "0.1", ""}});
  EXPECT_EQ(read_file(run("one", settings) / "model.safetensors"),
            read_file(run("two", settings, false, {}, 2) / "model.safetensors"));
}

TEST_F(ImageClassification, OverlappingPatchesAndTheirMeanAreYonasOwn) {
  const fs::path folder = run("run", config({{"train.updates", "3", ""},
                                             {"model.stride", "2", ""},
                                             {"model.image_vector", "mean", ""}}));
  EXPECT_EQ(read_image_info(folder).family, kOwnVit);
  EXPECT_EQ(ImageModel::load(folder, shared_backend("cpu"))->info().config.patches(), 9);
}

TEST_F(ImageClassification, BeginsWithAFolderOfTheHub) {
  write_bytes(folder_ / "t-images", idx_bytes({2, 8, 12}, std::string(192, '\x50')));
  write_bytes(folder_ / "t-labels", two_sided_labels(2));
  const fs::path init = fs::path(YONA_FIXTURES) / "vit" / "vit-grey";
  const fs::path folder =
      run("run", config({{"data.train", folder_ / "t-images", ""}, {"train.updates", "3", ""}}),
          false, init);
  const ImageModelInfo info = read_image_info(folder);
  EXPECT_EQ(info.labels, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(info.config.activation, FeedForwardActivation::relu);
  EXPECT_EQ(info.processor.normalisation.mean, std::vector<double>{0.5});
}

TEST_F(ImageClassification, PicturesOfAnotherSizeThanTheModelsAreNamed) {
  const fs::path init = fs::path(YONA_FIXTURES) / "vit" / "vit-grey";
  EXPECT_THAT(message_of<FormatError>([&] { run("run", config(), false, init); }),
              HasSubstr("its pictures have 8 × 8 pixels and 1 channels; the model takes 8 × 12"));
}

TEST_F(ImageClassification, AnUnknownLabelOfTheValidationFileIsNamed) {
  write_bytes(folder_ / "valid-labels-idx1-ubyte", idx_bytes({8}, std::string(8, '\x07')));
  EXPECT_THAT(message_of<FormatError>([&] {
                run("run", config({{"data.valid", folder_ / "valid-images-idx3-ubyte", ""}}));
              }),
              HasSubstr("picture 1 has the label 7, which is unknown"));
}

TEST_F(ImageClassification, SettingsThatDoNotFitAreNamed) {
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                run("run", config({{"model.patch", "3", ""}}));
              }),
              HasSubstr("model.patch: patches of 3 pixels, 3 apart, do not cover"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                run("run", config({{"data.labels", "a", ""}}));
              }),
              HasSubstr("data.labels: 1 names, but the labels of data.train go from 0 to 1"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                check_image_config(config(
                    {{"train.valid_metrics", "spearman", ""}, {"train.best_by", "loss", ""}}));
              }),
              HasSubstr("train.valid_metrics: expected accuracy, f1 or matthews, got 'spearman'"));
}

TEST_F(ImageClassification, OtherPicturesAreNotResumed) {
  run("run", config({{"train.updates", "20", ""}}));
  write("train", 50);
  EXPECT_THAT(message_of<Error>([&] { run("run", config(), true); }),
              HasSubstr("train-images-idx3-ubyte: changed"));
}

// Pictures of two sizes, bright on the left or on the right.
void write_folder(const fs::path& folder, int count) {
  for (int i = 0; i < count; ++i) {
    const bool left = i % 2 == 0;
    const std::size_t side = i % 3 == 0 ? 8 : 12;
    std::string row(side, left ? '\x20' : '\xE0');
    std::fill_n(row.begin(), side / 2, left ? '\xE0' : '\x20');
    const fs::path to = folder / (left ? "left" : "right") / (std::to_string(i) + ".png");
    fs::create_directories(to.parent_path());
    write_bytes(to, png_bytes(static_cast<std::uint32_t>(side), static_cast<std::uint32_t>(side), 8,
                              PNG_COLOR_TYPE_GRAY, std::vector<std::string>(side, row)));
  }
}

TEST_F(ImageClassification, LearnsFromFoldersWithEveryKindOfChange) {
  write_folder(folder_ / "train", 30);
  write_folder(folder_ / "valid", 8);
  const RunConfig settings = config({{"data.train", folder_ / "train", ""},
                                     {"data.valid", folder_ / "valid", ""},
                                     {"data.image_size", "8", ""},
                                     {"data.crop_area", "0.8", ""},
                                     {"data.rand_augment", "1", ""},
                                     {"data.rand_augment_magnitude", "3", ""},
                                     {"data.mixup", "0.2", ""},
                                     {"train.updates", "60", ""}});
  const fs::path folder = run("run", settings);
  const auto model = ImageModel::load(folder, shared_backend("cpu"));
  EXPECT_EQ(model->info().labels, (std::vector<std::string>{"left", "right"}));
  EXPECT_EQ(model->info().config.channels, 3);
  for (int i = 0; i < 8; ++i) {
    const std::string label = i % 2 == 0 ? "left" : "right";
    const fs::path file = folder_ / "valid" / label / (std::to_string(i) + ".png");
    EXPECT_EQ(model->classify({{"x", read_picture(file)}})[0][0].label, label) << i;
  }
  EXPECT_EQ(read_file(folder / "model.safetensors"),
            read_file(run("two", settings, false, {}, 2) / "model.safetensors"));
  write_folder(folder_ / "train", 34);
  EXPECT_THAT(message_of<Error>([&] { run("run", settings, true); }), HasSubstr("train: changed"));
}

TEST_F(ImageClassification, FoldersAndFilesAreNotMixed) {
  write_folder(folder_ / "folder", 4);
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                check_image_config(config({{"data.valid", folder_ / "folder", ""}}));
              }),
              HasSubstr("is a folder, but"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                check_image_config(config({{"data.mixup", "0.2", ""}, {"train.rdrop", "1", ""}}));
              }),
              HasSubstr("data.mixup: is 0.2 and train.rdrop 1"));
}

}  // namespace
}  // namespace yona::testing
