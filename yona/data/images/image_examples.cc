#include "yona/data/images/image_examples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "yona/backend/picture_args.h"
#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/data/images/random_crop.h"

namespace yona {

namespace {

std::string digest_of(const LabelledImages& images) {
  const std::string_view pixels(reinterpret_cast<const char*>(images.pixels.data()),
                                images.pixels.size());
  std::uint64_t digest = mix(hash_name(images.name), hash_name(pixels));
  for (const std::int32_t label : images.labels) {
    digest = mix(digest, static_cast<std::uint64_t>(label));
  }
  return fmt::format("{:016x}", digest);
}

// Area from 2 to 25 % of the picture, and up to three times as high as wide, or as wide as high.
void draw_cover(const ImageShape& shape, RandomSequence& random, ImageChange& change) {
  const double area =
      (0.02 + 0.23 * random.uniform()) * static_cast<double>(shape.height * shape.width);
  const double ratio = std::exp((2.0 * random.uniform() - 1.0) * std::log(3.0));
  const auto side = [](double length, std::int64_t most) {
    return std::clamp<std::int64_t>(std::llround(length), 1, most);
  };
  change.height = side(std::sqrt(area * ratio), shape.height);
  change.width = side(std::sqrt(area / ratio), shape.width);
  const auto place = [&random](std::int64_t free) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(free) + 1));
  };
  change.top = place(shape.height - change.height);
  change.left = place(shape.width - change.width);
}

// As PatchNumbersArgs has them.
void append_changes(float share, const std::array<ImageChange, 2>& changes, Side& side) {
  side.width = kPictureChanges;
  side.values.push_back(share);
  for (const ImageChange& change : changes) {
    for (const std::int64_t number : {change.top, change.left, change.height, change.width}) {
      side.values.push_back(static_cast<float>(number));
    }
  }
  side.end_example();
}

}  // namespace

double draw_beta(double alpha, RandomSequence& random) {
  // x = u^(1/α) and y = v^(1/α), in logarithms: for a small α both are too small for a double.
  while (true) {
    const double x = std::log(1.0 - random.uniform()) / alpha;
    const double y = std::log(1.0 - random.uniform()) / alpha;
    const double largest = std::max(x, y);
    const double sum = largest + std::log(std::exp(x - largest) + std::exp(y - largest));
    if (sum <= 0.0) {
      return std::exp(x - sum);
    }
  }
}

ImageChange draw_change(const ImageAugmentation& augmentation, const ImageShape& shape,
                        const Examples::Draw& draw, std::uint64_t example) {
  RandomSequence random(mix(
      mix(mix(draw.seed, hash_name("images")), static_cast<std::uint64_t>(draw.epoch)), example));
  ImageChange change;
  if (augmentation.crop_padding > 0) {
    const auto places = static_cast<std::uint64_t>(2 * augmentation.crop_padding + 1);
    change.down = static_cast<std::int64_t>(random.below(places)) - augmentation.crop_padding;
    change.right = static_cast<std::int64_t>(random.below(places)) - augmentation.crop_padding;
  }
  change.mirrored = augmentation.mirror > 0 && random.uniform() < augmentation.mirror;
  if (augmentation.erase > 0 && random.uniform() < augmentation.erase) {
    draw_cover(shape, random, change);
  }
  return change;
}

ImageExamples::ImageExamples(std::vector<LabelledImages> files, std::int64_t classes,
                             const PatchMaker& patches, const ImageAugmentation& augmentation)
    : files_(std::move(files)), patches_(patches), augmentation_(augmentation) {
  const ImageShape& expected = patches.grid().image;
  for (const LabelledImages& file : files_) {
    check<FormatError>(file.shape == expected,
                       "{}: its pictures have {} × {} pixels and {} channels; the model takes {} × "
                       "{} and {}",
                       file.name, file.shape.height, file.shape.width, file.shape.channels,
                       expected.height, expected.width, expected.channels);
    check<FormatError>(static_cast<std::int64_t>(file.labels.size()) == file.count(),
                       "{}: has {} pictures and {} labels", file.name, file.count(),
                       file.labels.size());
    for (std::size_t i = 0; i < file.labels.size(); ++i) {
      check<FormatError>(file.labels[i] >= 0 && file.labels[i] < classes,
                         "{}: picture {} has the label {}, which is unknown; those of the training "
                         "data are 0 to {}",
                         file.name, i + 1, file.labels[i], classes - 1);
    }
    add_part(file.name, 1.0, static_cast<std::uint64_t>(file.count()), digest_of(file));
  }
}

Examples::Lengths ImageExamples::lengths(std::uint64_t /*example*/) const {
  return {patches_.grid().count(), 1, augmentation_.mixup > 0 ? 1 : 0, 1};
}

const LabelledImages& ImageExamples::file_of(std::uint64_t example, std::uint64_t& image) const {
  const std::size_t part = part_of(example);
  image = example - parts()[part].first;
  return files_[part];
}

ImageChange ImageExamples::append(std::uint64_t example, const Draw& draw,
                                  std::vector<std::uint8_t>& bytes) const {
  std::uint64_t image = 0;
  const LabelledImages& file = file_of(example, image);
  const ImageChange change = draw_change(augmentation_, file.shape, draw, example);
  if (augmentation_.crop_area >= 1.0 && augmentation_.rand_augment.operations == 0) {
    patches_.append_bytes(file.image(image), change, bytes);
    return change;
  }
  RandomSequence random(mix(
      mix(mix(draw.seed, hash_name("image operations")), static_cast<std::uint64_t>(draw.epoch)),
      example));
  Picture picture(file.shape);
  std::copy_n(file.image(image), picture.pixels.size(), picture.pixels.begin());
  if (augmentation_.crop_area < 1.0) {
    picture = random_crop(picture, augmentation_.crop_area, random);
  }
  picture = rand_augmented(picture, augmentation_.rand_augment, random);
  patches_.append_bytes(picture.pixels.data(), change, bytes);
  return change;
}

// The partner is any picture, with changes of its own: what is mixed does not depend on the batch.
float ImageExamples::mix_in(std::uint64_t example, const Draw& draw, Batch& batch,
                            ImageChange& change) const {
  const std::uint64_t key = mix(mix(draw.seed, hash_name("mixup")), example);
  RandomSequence random(mix(key, static_cast<std::uint64_t>(draw.epoch)));
  const double drawn = draw_beta(augmentation_.mixup, random);
  const std::uint64_t partner = random.below(count());
  std::uint64_t image = 0;
  const LabelledImages& file = file_of(partner, image);
  Side& other = batch.sides[kMixedClass];
  change = append(partner, {.seed = key, .epoch = draw.epoch}, other.bytes);
  other.ids.push_back(file.labels[image]);
  other.end_example();
  return static_cast<float>(std::max(drawn, 1.0 - drawn));
}

void ImageExamples::fill(std::span<const std::uint32_t> examples, std::int64_t /*batch_tokens*/,
                         const Draw& draw, Batch& batch) const {
  batch.clear();
  Side& patches = batch.sides[kPatches];
  Side& label = batch.sides[kImageClass];
  patches.width = patches_.grid().values();
  for (const std::uint32_t example : examples) {
    std::uint64_t image = 0;
    const LabelledImages& file = file_of(example, image);
    const ImageChange change = append(example, draw, patches.bytes);
    ImageChange other;
    const float share = augmentation_.mixup > 0 ? mix_in(example, draw, batch, other) : 1.0F;
    append_changes(share, {change, other}, batch.sides[kImageChanges]);
    patches.end_example();
    label.ids.push_back(file.labels[image]);
    label.end_example();
    batch.example_ids.push_back(example_id(part_of(example), image));
    batch.weights.push_back(1.0F);
  }
}

}  // namespace yona
