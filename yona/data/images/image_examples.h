// Pictures with labels as examples of a run: patches, changed at random in training. What is drawn
// depends on seed, epoch and example alone.
#pragma once

#include <vector>

#include "yona/data/examples.h"
#include "yona/data/images/patches.h"

namespace yona {

// The sides of a picture.
inline constexpr std::size_t kPatches = 0;     // rows of numbers
inline constexpr std::size_t kImageClass = 1;  // an id

// Changes that are drawn again in every epoch.
struct ImageAugmentation {
  std::int64_t crop_padding = 0;  // pixels of black around the picture, of which a part is cut out
  double mirror = 0.0;            // the share of pictures that are mirrored, left to right
  // The share of pictures of which a rectangle is covered: random erasing, Zhong et al. 2020.
  double erase = 0.0;
};

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
  std::vector<LabelledImages> files_;
  PatchMaker patches_;
  ImageAugmentation augmentation_;
};

}  // namespace yona
