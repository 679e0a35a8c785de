// Pictures cut into patches: bytes become numbers, and each patch a row of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "yona/data/images/labelled_images.h"

namespace yona {

// x = (byte · rescale - mean) / deviation, each channel with its own.
struct ImageNormalisation {
  double rescale = 1.0 / 255.0;
  std::vector<double> mean{};       // empty: 0
  std::vector<double> deviation{};  // empty: 1
};

// How a picture changes in training: it is moved, mirrored, and a part of it is covered.
struct ImageChange {
  std::int64_t down = 0, right = 0;  // where the picture begins, in pixels; around it is black
  bool mirrored = false;
  // The rectangle that is covered with the mean; empty: none.
  std::int64_t top = 0, left = 0, height = 0, width = 0;
};

// Squares of `patch` pixels, every `stride` pixels in both directions.
struct PatchGrid {
  ImageShape image{};
  std::int64_t patch = 16;
  std::int64_t stride = 16;

  std::int64_t rows() const { return (image.height - patch) / stride + 1; }
  std::int64_t columns() const { return (image.width - patch) / stride + 1; }
  std::int64_t count() const { return rows() * columns(); }
  std::int64_t values() const { return patch * patch * image.channels; }  // of a patch
};

class PatchMaker {
 public:
  // Throws InvalidArgument when mean or deviation are not for the image's channels.
  PatchMaker(const PatchGrid& grid, const ImageNormalisation& normalisation);

  const PatchGrid& grid() const { return grid_; }

  // Appends grid().count() rows of grid().values() numbers: patches from left to right and from top
  // to bottom; inside a patch channel by channel, each row by row, as the weights of a convolution
  // are laid out. `pixels` is [height, width, channels].
  void append(const std::uint8_t* pixels, const ImageChange& change,
              std::vector<float>& values) const;
  // The same before bytes become numbers: nothing is normalised or covered.
  void append_bytes(const std::uint8_t* pixels, const ImageChange& change,
                    std::vector<std::uint8_t>& bytes) const;
  // Of each channel: the number of a byte.
  const std::vector<std::array<float, 256>>& table() const { return table_; }

 private:
  template <class T, class Number>
  void make_planes(const std::uint8_t* pixels, const ImageChange& change, const Number& number,
                   T* to) const;
  template <class T>
  void append_patches(const std::vector<T>& planes, std::vector<T>& values) const;

  PatchGrid grid_;
  std::vector<std::array<float, 256>> table_;
};

}  // namespace yona
