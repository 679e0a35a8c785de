// Pictures with labels as examples of a run: patches, changed at random in training. What is drawn
// depends on seed, epoch and example alone.
#pragma once

#include <vector>

#include "yona/base/thread_pool.h"
#include "yona/data/examples.h"
#include "yona/data/images/late_pictures.h"
#include "yona/data/images/patches.h"
#include "yona/data/images/rand_augment.h"

namespace yona {

// The sides of a picture.
inline constexpr std::size_t kPatches = 0;     // rows of bytes; or of numbers
inline constexpr std::size_t kImageClass = 1;  // an id
// Of a picture that is mixed with another one; else empty: the other's id, and its rows of bytes.
inline constexpr std::size_t kMixedClass = 2;
// Numbers, as kernels take them (PatchNumbersArgs): the first one's share, 0.5 or more, and which
// part of each is covered.
inline constexpr std::size_t kImageChanges = 3;

// Changes that are drawn again in every epoch.
struct ImageAugmentation {
  std::int64_t crop_padding = 0;  // pixels of black around the picture, of which a part is cut out
  double mirror = 0.0;            // the share of pictures that are mirrored, left to right
  // The share of pictures of which a rectangle is covered: random erasing, Zhong et al. 2020.
  double erase = 0.0;
  // The least share of the picture that a random resized crop keeps; 1: off.
  double crop_area = 1.0;
  RandAugment rand_augment{};
  // mixup, Zhang et al. 2018: a picture is mixed with another one, λ : 1 - λ, with λ from
  // Beta(mixup, mixup); 0: off.
  double mixup = 0.0;
};

// A number from Beta(alpha, alpha). alpha is above 0 and not much above 1: it is drawn by rejection
// (Jöhnk 1964).
double draw_beta(double alpha, RandomSequence& random);

// The change of one picture. Throws nothing; the same arguments give the same change.
ImageChange draw_change(const ImageAugmentation& augmentation, const ImageShape& shape,
                        const Examples::Draw& draw, std::uint64_t example);

// Throws FormatError naming the file for pictures of another size than the grid's, pictures without
// labels, and labels that are not below `classes`.
void check_pictures(const LabelledImages& file, const ImageShape& expected, std::int64_t classes);

class ImageExamples : public Examples {
 public:
  // Throws as check_pictures() does. Pictures that memory does not hold are read by `pool`, where
  // there is one, which must outlive this object.
  ImageExamples(std::vector<LabelledImages> files, std::int64_t classes, const PatchMaker& patches,
                const ImageAugmentation& augmentation, ThreadPool* pool = nullptr);

  Lengths lengths(std::uint64_t example) const override;
  void fill(std::span<const std::uint32_t> examples, std::int64_t batch_tokens, const Draw& draw,
            Batch& batch) const override;

 private:
  // What a picture is mixed with: any other one, with changes of its own, so that it does not
  // depend on the batch.
  struct Partner {
    std::uint64_t example = 0;
    std::uint64_t seed = 0;  // of its changes
    float share = 1.0F;      // of the first picture
  };

  const LabelledImages& file_of(std::uint64_t example, std::uint64_t& image) const;
  Partner draw_partner(std::uint64_t example, const Draw& draw) const;
  void add(std::uint64_t example, PictureBatch& pictures) const;
  // The patches of a picture, moved and mirrored; its change, whose rectangle is left to cover.
  ImageChange append(const std::uint8_t* pixels, std::uint64_t example, const Draw& draw,
                     std::vector<std::uint8_t>& bytes) const;
  void end_label(std::uint64_t example, Side& side) const;

  std::vector<LabelledImages> files_;
  PatchMaker patches_;
  ImageAugmentation augmentation_;
  ThreadPool* pool_;
};

}  // namespace yona
