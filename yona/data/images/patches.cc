#include "yona/data/images/patches.h"

#include <algorithm>

#include "yona/base/error.h"

namespace yona {

namespace {

double value_or(const std::vector<double>& values, std::size_t i, double otherwise) {
  return values.empty() ? otherwise : values[i];
}

}  // namespace

PatchMaker::PatchMaker(const PatchGrid& grid, const ImageNormalisation& normalisation)
    : grid_(grid), table_(static_cast<std::size_t>(grid.image.channels)) {
  for (const std::vector<double>* values : {&normalisation.mean, &normalisation.deviation}) {
    check(values->empty() || values->size() == table_.size(),
          "images: {} numbers normalise pictures of {} channels", values->size(), table_.size());
  }
  for (std::size_t channel = 0; channel < table_.size(); ++channel) {
    const double mean = value_or(normalisation.mean, channel, 0.0);
    const double deviation = value_or(normalisation.deviation, channel, 1.0);
    check(deviation != 0.0, "images: the deviation of channel {} is 0", channel);
    for (std::size_t byte = 0; byte < 256; ++byte) {
      table_[channel][byte] = static_cast<float>(
          (static_cast<double>(byte) * normalisation.rescale - mean) / deviation);
    }
  }
}

// number(channel, byte, is it covered?) of all pixels, moved and mirrored; to: [channels, height,
// width]
template <class T, class Number>
void PatchMaker::make_planes(const std::uint8_t* pixels, const ImageChange& change,
                             const Number& number, T* to) const {
  const auto [height, width, channels] = grid_.image;
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    for (std::int64_t y = 0; y < height; ++y) {
      const std::int64_t from_y = y - change.down;
      const bool in_rows = from_y >= 0 && from_y < height;
      const bool covers = y >= change.top && y < change.top + change.height;
      for (std::int64_t x = 0; x < width; ++x) {
        const std::int64_t moved = x - change.right;
        const std::int64_t from_x = change.mirrored ? width - 1 - moved : moved;
        const bool is_inside = in_rows && moved >= 0 && moved < width;
        const std::uint8_t byte =
            is_inside ? pixels[(from_y * width + from_x) * channels + channel] : std::uint8_t{0};
        const bool is_covered = covers && x >= change.left && x < change.left + change.width;
        *to++ = number(static_cast<std::size_t>(channel), byte, is_covered);
      }
    }
  }
}

template <class T>
void PatchMaker::append_patches(const std::vector<T>& planes, std::vector<T>& values) const {
  const auto [height, width, channels] = grid_.image;
  std::size_t at = values.size();
  values.resize(at + static_cast<std::size_t>(grid_.count() * grid_.values()));
  for (std::int64_t row = 0; row < grid_.rows(); ++row) {
    for (std::int64_t column = 0; column < grid_.columns(); ++column) {
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        for (std::int64_t y = 0; y < grid_.patch; ++y) {
          const std::int64_t line = channel * height + row * grid_.stride + y;
          std::copy_n(planes.data() + line * width + column * grid_.stride, grid_.patch,
                      values.data() + at);
          at += static_cast<std::size_t>(grid_.patch);
        }
      }
    }
  }
}

void PatchMaker::append(const std::uint8_t* pixels, const ImageChange& change,
                        std::vector<float>& values) const {
  std::vector<float> planes(static_cast<std::size_t>(grid_.image.elements()));
  const auto number = [&](std::size_t channel, std::uint8_t byte, bool is_covered) {
    return is_covered ? 0.0F : table_[channel][byte];
  };
  make_planes(pixels, change, number, planes.data());
  append_patches(planes, values);
}

void PatchMaker::append_bytes(const std::uint8_t* pixels, const ImageChange& change,
                              std::vector<std::uint8_t>& bytes) const {
  std::vector<std::uint8_t> planes(static_cast<std::size_t>(grid_.image.elements()));
  const auto same = [](std::size_t /*channel*/, std::uint8_t byte, bool /*is_covered*/) {
    return byte;
  };
  make_planes(pixels, change, same, planes.data());
  append_patches(planes, bytes);
}

}  // namespace yona
