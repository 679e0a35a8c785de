#include "yona/data/images/image_examples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/data/images/random_crop.h"

namespace yona {

namespace {

std::string digest_of(const LabelledImages& images) {
  const std::string_view pixels(reinterpret_cast<const char*>(images.pixels.data()),
                                images.pixels.size());
  const std::uint64_t content = images.summary ? images.summary->crc64 : hash_name(pixels);
  std::uint64_t digest = mix(hash_name(images.name), content);
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

// As PatchNumbersArgs (backend/picture_args.h) has them.
void append_changes(float share, const std::array<ImageChange, 2>& changes, Side& side) {
  side.width = 1 + 4 * static_cast<std::int64_t>(changes.size());
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

void check_pictures(const LabelledImages& file, const ImageShape& expected, std::int64_t classes) {
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
}

ImageExamples::ImageExamples(std::vector<LabelledImages> files, std::int64_t classes,
                             const PatchMaker& patches, const ImageAugmentation& augmentation,
                             ThreadPool* pool)
    : files_(std::move(files)), patches_(patches), augmentation_(augmentation), pool_(pool) {
  for (const LabelledImages& file : files_) {
    check_pictures(file, patches.grid().image, classes);
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

void ImageExamples::add(std::uint64_t example, PictureBatch& pictures) const {
  std::uint64_t image = 0;
  const LabelledImages& file = file_of(example, image);
  pictures.add(file, image);
}

void ImageExamples::end_label(std::uint64_t example, Side& side) const {
  std::uint64_t image = 0;
  side.ids.push_back(file_of(example, image).labels[image]);
  side.end_example();
}

ImageChange ImageExamples::append(const std::uint8_t* pixels, std::uint64_t example,
                                  const Draw& draw, std::vector<std::uint8_t>& bytes) const {
  const ImageShape& shape = patches_.grid().image;
  const ImageChange change = draw_change(augmentation_, shape, draw, example);
  if (augmentation_.crop_area >= 1.0 && augmentation_.rand_augment.operations == 0) {
    patches_.append_bytes(pixels, change, bytes);
    return change;
  }
  RandomSequence random(mix(
      mix(mix(draw.seed, hash_name("image operations")), static_cast<std::uint64_t>(draw.epoch)),
      example));
  Picture picture(shape);
  std::copy_n(pixels, picture.pixels.size(), picture.pixels.begin());
  if (augmentation_.crop_area < 1.0) {
    picture = random_crop(picture, augmentation_.crop_area, random);
  }
  picture = rand_augmented(picture, augmentation_.rand_augment, random);
  patches_.append_bytes(picture.pixels.data(), change, bytes);
  return change;
}

ImageExamples::Partner ImageExamples::draw_partner(std::uint64_t example, const Draw& draw) const {
  Partner partner{.seed = mix(mix(draw.seed, hash_name("mixup")), example)};
  RandomSequence random(mix(partner.seed, static_cast<std::uint64_t>(draw.epoch)));
  const double drawn = draw_beta(augmentation_.mixup, random);
  partner.example = random.below(count());
  partner.share = static_cast<float>(std::max(drawn, 1.0 - drawn));
  return partner;
}

void ImageExamples::fill(std::span<const std::uint32_t> examples, std::int64_t /*batch_tokens*/,
                         const Draw& draw, Batch& batch) const {
  batch.clear();
  Side& patches = batch.sides[kPatches];
  patches.width = patches_.grid().values();
  PictureBatch pictures(patches_.grid().image, pool_);
  std::vector<Partner> partners;
  for (const std::uint32_t example : examples) {
    add(example, pictures);
    if (augmentation_.mixup > 0) {
      partners.push_back(draw_partner(example, draw));
      add(partners.back().example, pictures);
    }
  }
  pictures.read();
  std::size_t next = 0;  // of `pictures`
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const std::uint32_t example = examples[i];
    const ImageChange change = append(pictures.pixels(next++), example, draw, patches.bytes);
    ImageChange other;
    float share = 1.0F;
    if (augmentation_.mixup > 0) {
      const Partner& partner = partners[i];
      Side& mixed = batch.sides[kMixedClass];
      other = append(pictures.pixels(next++), partner.example,
                     {.seed = partner.seed, .epoch = draw.epoch}, mixed.bytes);
      end_label(partner.example, mixed);
      share = partner.share;
    }
    append_changes(share, {change, other}, batch.sides[kImageChanges]);
    patches.end_example();
    end_label(example, batch.sides[kImageClass]);
    const std::size_t part = part_of(example);
    batch.example_ids.push_back(example_id(part, example - parts()[part].first));
    batch.weights.push_back(1.0F);
  }
}

}  // namespace yona
