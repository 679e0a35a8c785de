// Pictures with labels as examples of a run: patches, changed at random in training. What is drawn
// depends on seed, epoch and example alone.
#pragma once

#include <vector>

#include "yona/data/examples.h"
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

class ImageExamples : public Examples {
 public:
  // Throws FormatError naming the file for pictures of another size than the grid's, pictures
  // without labels, and labels that are not below `classes`.
  ImageExamples(std::vector<LabelledImages> files, std::int64_t classes, const PatchMaker& patches,
                const ImageAugmentation& augmentation);

  Lengths lengths(std::uint64_t example) const override;
  void fill(std::span<const std::uint32_t> examples, std::int64_t batch_tokens, const Draw& draw,
            Batch& batch) const override;

 private:
  const LabelledImages& file_of(std::uint64_t example, std::uint64_t& image) const;
  // The patches of a picture, moved and mirrored; its change, whose rectangle is left to cover.
  ImageChange append(std::uint64_t example, const Draw& draw,
                     std::vector<std::uint8_t>& bytes) const;
  // The other picture's; the first one's share.
  float mix_in(std::uint64_t example, const Draw& draw, Batch& batch, ImageChange& change) const;

  std::vector<LabelledImages> files_;
  PatchMaker patches_;
  ImageAugmentation augmentation_;
};

}  // namespace yona
