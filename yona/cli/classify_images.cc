#include "yona/cli/classify_images.h"

#include <fmt/format.h>

#include "yona/api/image_classifier.h"
#include "yona/base/json.h"
#include "yona/cli/compute_type.h"
#include "yona/io/model_kind.h"

namespace yona::cli {

namespace {

std::string image_json_line(const ClassifiedImage& image) {
  Json line = Json::object();
  line["image"] = image.name;
  line["label"] = image.labels.front().label;
  line["score"] = image.labels.front().score;
  line["labels"] = Json::object();
  for (const LabelScore& label : image.labels) {
    line["labels"][label.label] = label.score;
  }
  return line.dump();
}

}  // namespace

int classify_images(const EncoderFlags& flags, const std::vector<std::filesystem::path>& files) {
  compute_type(flags.compute_type, device_of(flags.workers));  // names the flag where it is wrong
  check_model_kind(flags.model, ModelKind::image, "yona classify --image");
  for (const std::filesystem::path& file : files) {
    require_file("--image", file);
  }
  const WorkerChoice choice = worker_choice(flags.workers);
  const ImageClassifier classifier =
      ImageClassifier::load(flags.model, {.device = choice.device,
                                          .threads = choice.threads,
                                          .workers = 1,
                                          .compute_type = flags.compute_type});
  for (const std::filesystem::path& file : files) {
    for (const ClassifiedImage& image : classifier.classify({file})) {
      const LabelScore& best = image.labels.front();
      fmt::print("{}\n", flags.json
                             ? image_json_line(image)
                             : fmt::format("{}\t{}\t{:.6f}", image.name, best.label, best.score));
    }
  }
  return 0;
}

}  // namespace yona::cli
