#include "yona/tasks/image_classification/config_keys.h"

#include "yona/base/error.h"
#include "yona/tasks/file_checks.h"
#include "yona/tasks/metric_checks.h"
#include "yona/train/train_keys.h"

namespace yona {

namespace {

std::vector<std::string> image_figure_names() { return {"accuracy", "f1", "matthews"}; }

ConfigKeys<ImagesConfig> image_data_keys() {
  using Config = ImagesConfig;
  return {
      config_key("train", &Config::train, paths_codec(), OnResume::content,
                 "folders of PNG and JPEG files with a sub-folder for each class, or IDX files of "
                 "pictures with their labels beside them: train-images-idx3-ubyte has "
                 "train-labels-idx1-ubyte; .gz, .xz and .zst are read as they are"),
      config_key(
          "valid", &Config::valid, path_codec(), OnResume::free,
          "a held-out file or folder of the same form; its accuracy decides which model is the "
          "best"),
      config_key("labels", &Config::labels, texts_codec(), OnResume::fixed,
                 "names of the classes, in the order of their numbers; empty: the numbers, or the "
                 "names of the sub-folders in their order"),
      integer("image_size", &Config::image_size, {0, 1 << 12}, OnResume::fixed,
              "height and width that pictures of folders are made for a new model; 0: as they "
              "are, all alike; with --init the folder's own"),
      flag("grey", &Config::grey, OnResume::fixed,
           "make pictures of folders grey for a new model; else they have three channels"),
      integer("memory_mb", &Config::memory_mb, {1, 1 << 30, "auto"}, OnResume::free,
              "MB of pictures of folders, as the model takes them, that are kept in memory; the "
              "others are read again for each batch; auto is a quarter of what the process may "
              "have"),
      integer("crop_padding", &Config::crop_padding, {0, 1 << 10}, OnResume::decides,
              "largest shift of a picture in pixels, drawn in every epoch; 0 is off"),
      number("mirror", &Config::mirror, {.least = 0.0, .most = 1.0}, OnResume::decides,
             "the share of pictures that are mirrored, left to right"),
      number("erase", &Config::erase, {.least = 0.0, .most = 1.0}, OnResume::decides,
             "the share of pictures of which a random rectangle is covered (random erasing)"),
      number("crop_area", &Config::crop_area, {.least = 0.01, .most = 1.0}, OnResume::decides,
             "the least share of a picture that a random resized crop keeps; 1 is off"),
      integer("rand_augment", &Config::rand_augment, {0, 14}, OnResume::decides,
              "operations of RandAugment on each picture; 0 is off, 2 is usual"),
      number("rand_augment_magnitude", &Config::rand_augment_magnitude,
             {.least = 0.0, .most = 30.0}, OnResume::decides, "strength of these operations"),
      number("mixup", &Config::mixup, {.least = 0.0, .most = 4.0}, OnResume::decides,
             "mix each picture and its label with another one's; the shares are drawn from "
             "Beta(mixup, mixup); 0 is off, 0.2 and 0.8 are usual")};
}

// Folders, or files: the same for all of a run.
void check_pictures(const std::filesystem::path& path, std::string_view key,
                    const ImagesConfig& config) {
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  check(path.empty() || is_folder == std::filesystem::is_directory(config.train.front(), error),
        "{}: {}: is a {}, but {} is not; pictures of a run are all in folders or all in IDX files",
        key, path.string(), is_folder ? "folder" : "file", config.train.front().string());
  if (!is_folder) {
    check_data_file(path, key);
  }
}

ConfigKey<RunConfig> image_preset_key() {
  ConfigKey<RunConfig> key =
      config_key("preset", &RunConfig::preset, word_codec(vit_preset_names()), OnResume::decides,
                 "gives all model keys their defaults, before any other key is read");
  key.role = KeyRole::preset;
  key.set = [set = key.set](RunConfig& config, const ConfigNode& node, const ConfigSource& source) {
    set(config, node, source);
    apply_image_preset(config);
  };
  return key;
}

ConfigKeys<RunConfig> make_image_keys() {
  ConfigKeys<RunConfig> keys{image_preset_key()};
  append(keys, lift("model", &RunConfig::vit, vit_keys()));
  append(keys, lift("data", &RunConfig::images, image_data_keys()));
  append(keys, lift("train", &RunConfig::train,
                    train_keys({image_figure_names(),
                                "accuracy, f1 (macro; of two classes the second's), matthews"})));
  return keys;
}

}  // namespace

const ConfigKeys<RunConfig>& image_classification_keys() {
  static const ConfigKeys<RunConfig> keys = make_image_keys();
  return keys;
}

// Training from scratch as Touvron et al. 2021 do it: Adam with weight decay, a warm-up and a
// cosine decay, label smoothing.
void set_image_defaults(RunConfig& config) {
  config.preset = "vit-tiny";
  config.images.crop_padding = 2;
  config.images.mirror = 0.5;
  TrainConfig& train = config.train;
  train.updates = 10000;
  train.batch_tokens = 6272;  // 128 pictures of 49 patches
  train.schedule = {.kind = ScheduleKind::cosine, .rate = 1e-3, .warmup = 500, .final_rate = 1e-5};
  train.beta2 = 0.999;
  train.epsilon = 1e-8;
  train.weight_decay = 0.05;
  train.clip_norm = 1.0;
  train.label_smoothing = 0.1;
  train.valid_every = train.save_every = 500;
  train.valid_metrics = {"accuracy"};
  train.best_by = "accuracy";
}

void apply_image_preset(RunConfig& config) { config.vit = vit_preset(config.preset); }

void check_image_config(const RunConfig& config) {
  check(config.vit.d_model % config.vit.heads == 0,
        "model.heads: {} heads do not divide model.d_model {}", config.vit.heads,
        config.vit.d_model);
  check(config.vit.stride <= config.vit.patch,
        "model.stride: {} is more than model.patch {}, which leaves pixels out", config.vit.stride,
        config.vit.patch);
  check(!config.images.train.empty(),
        "data.train: there is nothing to train on; give --train with a folder of pictures or "
        "train-images-idx3-ubyte, or data.train in --config");
  for (const std::filesystem::path& path : config.images.train) {
    check_pictures(path, "data.train", config.images);
  }
  check_pictures(config.images.valid, "data.valid", config.images);
  const TrainConfig& train = config.train;
  check(config.images.mixup == 0 || train.rdrop == 0,
        "data.mixup: is {} and train.rdrop {}; they cannot be used together", config.images.mixup,
        train.rdrop);
  check_metric_names(train, image_figure_names());
  check_best_by(train);
  check(train.patience == 0 || !config.images.valid.empty(),
        "train.patience: stopping early needs a validation file (--valid)");
}

void make_image_paths_absolute(RunConfig& config) {
  make_absolute(config.images.train);
  make_absolute(config.images.valid);
}

}  // namespace yona
