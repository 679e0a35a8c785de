// preprocessor_config.json: what the hub's image processors (ViTImageProcessor, DeiTImageProcessor,
// ViTFeatureExtractor) are told.

#include "yona/io/image_processor_config.h"

#include <cmath>

#include "yona/io/foreign_config.h"

namespace yona {

namespace {

constexpr int kLongestProcessedSide = 1 << 14;

int side_of(const ForeignConfig& config, const char* key) {
  const int side = config.size(key);
  check<FormatError>(side >= 1 && side <= kLongestProcessedSide,
                     "{}: \"{}\" is {}; expected 1 to {} pixels", config.where(), key, side,
                     kLongestProcessedSide);
  return side;
}

struct ProcessedSize {
  std::int64_t height = 0, width = 0, shortest = 0;
};

// 224, {"height": 224, "width": 224} or {"shortest_edge": 224}
ProcessedSize size_of_key(const Json& json, const char* key, const ForeignConfig& config) {
  const Json& value = json.at(key);
  const std::string where = fmt::format("{}: \"{}\"", config.where(), key);
  if (value.is_number()) {
    const std::int64_t side = side_of(config, key);
    return {side, side, 0};
  }
  check<FormatError>(value.is_object(), "{} is {}; expected a number or height and width", where,
                     value.dump());
  const ForeignConfig inside(value, where);
  if (inside.has("shortest_edge")) {
    return {0, 0, side_of(inside, "shortest_edge")};
  }
  return {side_of(inside, "height"), side_of(inside, "width"), 0};
}

std::vector<double> channel_numbers(const Json& json, const char* key, std::int64_t channels,
                                    const ForeignConfig& config) {
  const Json& value = json.at(key);
  std::vector<double> numbers;
  if (value.is_number()) {
    numbers.assign(static_cast<std::size_t>(channels), value.get<double>());
  } else {
    numbers = config.get<std::vector<double>>(key);
  }
  check<FormatError>(static_cast<std::int64_t>(numbers.size()) == channels,
                     "{}: \"{}\" has {} numbers, but the model takes pictures of {} channels",
                     config.where(), key, numbers.size(), channels);
  return numbers;
}

}  // namespace

ImageProcessor read_image_processor(const Json& json, std::string_view where,
                                    const ImageShape& shape) {
  check<FormatError>(json.is_object(), "{}: is not a JSON object", where);
  const ForeignConfig config(json, where);
  ImageProcessor processor;
  processor.height = shape.height;
  processor.width = shape.width;
  processor.resizes = config.get<bool>("do_resize", true);
  if (config.has("size")) {
    const ProcessedSize size = size_of_key(json, "size", config);
    processor.height = size.height;
    processor.width = size.width;
    processor.shortest_side = size.shortest;
  }
  const int resample = config.has("resample") ? config.size("resample") : 2;
  check<FormatError>(resample >= 0 && resample <= static_cast<int>(Resample::hamming),
                     "{}: \"resample\" is {}; expected 0 to {}", where, resample,
                     static_cast<int>(Resample::hamming));
  processor.resample = static_cast<Resample>(resample);
  if (config.get<bool>("do_center_crop", false)) {
    const ProcessedSize crop = config.has("crop_size") ? size_of_key(json, "crop_size", config)
                                                       : ProcessedSize{shape.height, shape.width};
    check<FormatError>(crop.shortest == 0, "{}: \"crop_size\" has no height and width", where);
    processor.crop_height = crop.height;
    processor.crop_width = crop.width;
  }
  ImageNormalisation& normalisation = processor.normalisation;
  normalisation.rescale = config.get<bool>("do_rescale", true)
                              ? config.get<double>("rescale_factor", 1.0 / 255.0)
                              : 1.0;
  if (config.get<bool>("do_normalize", true)) {
    const std::vector<double> half(static_cast<std::size_t>(shape.channels), 0.5);
    normalisation.mean = config.has("image_mean")
                             ? channel_numbers(json, "image_mean", shape.channels, config)
                             : half;
    normalisation.deviation =
        config.has("image_std") ? channel_numbers(json, "image_std", shape.channels, config) : half;
    for (const double deviation : normalisation.deviation) {
      check<FormatError>(std::isfinite(deviation) && deviation != 0.0, "{}: \"image_std\" holds {}",
                         where, deviation);
    }
  }
  return processor;
}

Json write_image_processor(const ImageProcessor& processor) {
  Json json = Json::object();
  json["image_processor_type"] = "ViTImageProcessor";
  json["do_resize"] = processor.resizes;
  json["size"] = {{"height", processor.height}, {"width", processor.width}};
  json["resample"] = static_cast<int>(processor.resample);
  json["do_rescale"] = true;
  json["rescale_factor"] = processor.normalisation.rescale;
  json["do_normalize"] = !processor.normalisation.mean.empty();
  if (!processor.normalisation.mean.empty()) {
    json["image_mean"] = processor.normalisation.mean;
    json["image_std"] = processor.normalisation.deviation;
  }
  return json;
}

}  // namespace yona
