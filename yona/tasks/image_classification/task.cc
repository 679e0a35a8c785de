#include "yona/tasks/image_classification/task.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/data/images/image_examples.h"
#include "yona/io/folder_update.h"
#include "yona/io/json_file.h"
#include "yona/tasks/image_classification/image_evaluation.h"
#include "yona/tasks/image_classification/image_objective.h"
#include "yona/tasks/seq2seq/run_files.h"
#include "yona/tasks/task_record.h"

namespace yona {

namespace {

constexpr const char* kPictureSettings = "preprocessor_config.json";

// Mean and deviation of each channel over all training pictures, in three digits: another file of
// the same kind has the same.
ImageNormalisation measured_normalisation(const std::vector<LabelledImages>& files) {
  const auto channels = static_cast<std::size_t>(files.front().shape.channels);
  std::vector<std::uint64_t> counts(channels * 256);
  for (const LabelledImages& file : files) {
    PixelSummary of_file;
    if (!file.summary) {
      of_file.add(file.pixels, file.shape.channels);
    }
    const PixelSummary& summary = file.summary ? *file.summary : of_file;
    std::transform(counts.begin(), counts.end(), summary.counts.begin(), counts.begin(),
                   std::plus<>());
  }
  ImageNormalisation result;
  const auto rounded = [](double x) { return std::round(x * 1000.0) / 1000.0; };
  for (std::size_t channel = 0; channel < channels; ++channel) {
    double n = 0;
    double sum = 0;
    double squares = 0;
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const auto count = static_cast<double>(counts[channel * 256 + byte]);
      const double value = static_cast<double>(byte) / 255.0;
      n += count;
      sum += count * value;
      squares += count * value * value;
    }
    const double mean = sum / n;
    result.mean.push_back(rounded(mean));
    result.deviation.push_back(
        std::max(0.001, rounded(std::sqrt(std::max(0.0, squares / n - mean * mean)))));
  }
  return result;
}

// ", 812 of them in memory" where not all are.
std::string kept_text(const std::vector<LabelledImages>& files) {
  std::int64_t all = 0;
  std::int64_t kept = 0;
  for (const LabelledImages& file : files) {
    all += file.count();
    kept += file.kept();
  }
  return kept < all ? fmt::format(", {} of them in memory (data.memory_mb)", kept) : "";
}

}  // namespace

ImageClassificationTask::ImageClassificationTask(RunConfig config, const RunPlace& place)
    : config_(std::move(config)),
      place_(place),
      memory_(picture_memory(config_.images, place_.backend.exec().pool)) {
  read_training();
  for (const LabelledImages& file : files_) {
    check<FormatError>(file.shape == files_.front().shape,
                       "{}: its pictures have another size than those of {}", file.name,
                       files_.front().name);
  }
  if (place_.checkpoint) {
    info_ = read_image_info(place_.checkpoint->path);
    info_.config.dropout = config_.vit.dropout;
    info_.config.attention_dropout = config_.vit.attention_dropout;
  } else {
    info_ = place_.init.empty() ? new_info() : started_info();
    remove_old_model(place_);
  }
  check_config(info_.config);
  check(info_.labels == labels_, "data.train: its labels are {}, those that the run began with {}",
        fmt::join(labels_, ", "), fmt::join(info_.labels, ", "));
  config_.vit = info_.config;
}

void ImageClassificationTask::read_training() {
  const std::filesystem::path started = place_.checkpoint ? place_.checkpoint->path : place_.init;
  const std::optional<ImageModelInfo> info =
      started.empty() ? std::nullopt : std::optional(read_image_info(started));
  TrainingPictures pictures =
      read_training_pictures(config_.images, info ? &*info : nullptr, memory_);
  files_ = std::move(pictures.files);
  labels_ = std::move(pictures.labels);
  recorded_files_ = recorded_pictures(config_.images, files_);
}

ImageModelInfo ImageClassificationTask::new_info() const {
  ImageModelInfo info;
  info.config = config_.vit;
  const ImageShape& shape = files_.front().shape;
  info.config.image_height = shape.height;
  info.config.image_width = shape.width;
  info.config.channels = shape.channels;
  info.config.labels = static_cast<std::int64_t>(labels_.size());
  info.labels = labels_;
  check_config(info.config);
  info.processor = processor_for(info.config, measured_normalisation(files_));
  const ImageFamilyChoice choice = choose_image_family(info.config);
  info.family = choice.family;
  if (!choice.reason.empty()) {
    place_.reporter.message(MessageLevel::info, choice.reason);
  }
  return info;
}

// The shape and the processor are those of the folder, dropout is this run's. Of DeiT the class
// token alone is trained.
ImageModelInfo ImageClassificationTask::started_info() const {
  ImageModelInfo info = read_image_info(place_.init);
  info.config.dropout = config_.vit.dropout;
  info.config.attention_dropout = config_.vit.attention_dropout;
  info.config.distillation_classifier = false;
  info.labels = labels_;
  info.config.labels = static_cast<std::int64_t>(labels_.size());
  return info;
}

std::unique_ptr<Objective> ImageClassificationTask::make_objective() const {
  return std::make_unique<ImageObjective>(
      info_.config,
      ImageLoss{.label_smoothing = config_.train.label_smoothing,
                .rdrop = config_.train.rdrop,
                .mixes = config_.images.mixup > 0},
      PatchMaker(patch_grid(info_.config), info_.processor.normalisation));
}

void ImageClassificationTask::describe(RunPlan& plan) const {
  plan.example_name = "pictures";
  plan.model = place_.init.empty() && info_.original_config.empty() ? config_.preset : info_.family;
  plan.input_vocabulary = plan.output_vocabulary = static_cast<std::int64_t>(labels_.size());
}

RunConfig ImageClassificationTask::with_train(const TrainConfig& train) const {
  RunConfig config = config_;
  config.train = train;
  return config;
}

std::string ImageClassificationTask::settings(const TrainConfig& train) const {
  return to_yaml(with_absolute_paths(with_train(train)));
}

Json ImageClassificationTask::record(const TrainConfig& train) const {
  Json record = Json::object();
  record["files"] = recorded_files_;
  record["labels"] = info_.labels;
  record["settings"] = recorded_settings(with_train(train));
  return record;
}

Differences ImageClassificationTask::differences(const RunState& then, const Json& now) const {
  try {
    const Json& before = then.record;
    Differences found =
        settings_that_differ(before.at("settings"), now.at("settings"), config_.task);
    for (std::string& change : changed_files(before.at("files"), now.at("files"),
                                             picture_files(config_.images), "train")) {
      found.changes.push_back(std::move(change));
    }
    return found;
  } catch (const Json::exception& error) {
    fail<FormatError>("state.json: not the record of a run of the task {}: {}", config_.task,
                      error.what());
  }
}

std::shared_ptr<const Examples> ImageClassificationTask::open_training() {
  if (training_ != nullptr) {
    return training_;
  }
  const std::string kept = kept_text(files_);
  training_ = std::make_shared<const ImageExamples>(
      std::exchange(files_, {}), info_.config.labels,
      PatchMaker(patch_grid(info_.config), info_.processor.normalisation),
      ImageAugmentation{.crop_padding = config_.images.crop_padding,
                        .mirror = config_.images.mirror,
                        .erase = config_.images.erase,
                        .crop_area = config_.images.crop_area,
                        .rand_augment = {.operations = config_.images.rand_augment,
                                         .magnitude = config_.images.rand_augment_magnitude},
                        .mixup = config_.images.mixup},
      place_.backend.exec().pool);
  place_.reporter.message(
      MessageLevel::info,
      fmt::format("train: {} of {} × {} pixels, {} labels{}",
                  counted(training_->count(), "picture"), info_.config.image_height,
                  info_.config.image_width, labels_.size(), kept));
  return training_;
}

std::vector<std::unique_ptr<Evaluation>> ImageClassificationTask::open_evaluations(
    Objective& objective, const TrainConfig& train) {
  std::vector<std::unique_ptr<Evaluation>> evaluations;
  if (config_.images.valid.empty()) {
    return evaluations;
  }
  const PatchMaker patches(patch_grid(info_.config), info_.processor.normalisation);
  LabelledImages images = read_valid_pictures(config_.images.valid, info_, memory_);
  check_pictures(images, patches.grid().image, info_.config.labels);
  evaluations.push_back(std::make_unique<ImageEvaluation>(
      std::move(images), patches, dynamic_cast<ImageObjective&>(objective).model(), place_.backend,
      train.valid_metrics));
  return evaluations;
}

void ImageClassificationTask::write_model(const std::filesystem::path& folder,
                                          const Parameters& parameters) const {
  FolderUpdate update(folder);
  write_json(update.path() / "config.json", image_config(info_));
  write_json(update.path() / kPictureSettings, processor_config(info_));
  write_image_weights(update.path() / "model.safetensors", info_, parameters, parameters.weights());
  update.commit();
}

void ImageClassificationTask::write_checkpoint(const std::filesystem::path& folder,
                                               const Parameters& parameters) const {
  write_json(folder / "config.json", image_config(info_));
  write_json(folder / kPictureSettings, processor_config(info_));
  write_image_weights(folder / "model.safetensors", info_, parameters, parameters.weights());
}

void ImageClassificationTask::read_weights(const std::filesystem::path& folder,
                                           const Parameters& parameters) const {
  if (folder != place_.init) {
    read_image_weights(folder, info_, parameters);
    return;
  }
  const std::vector<std::string> missing =
      read_image_weights(folder, info_, parameters, Classifier::may_be_new);
  if (!missing.empty()) {
    place_.reporter.message(MessageLevel::info,
                            fmt::format("--init {}: has no {} for these labels: they begin with "
                                        "random values",
                                        folder.string(), fmt::join(missing, ", ")));
  }
}

}  // namespace yona
