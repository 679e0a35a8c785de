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

// to: [channels, height, width]
void PatchMaker::normalise(const std::uint8_t* pixels, const ImageChange& change, float* to) const {
  const auto [height, width, channels] = grid_.image;
  for (std::int64_t channel = 0; channel < channels; ++channel) {
    const std::array<float, 256>& table = table_[static_cast<std::size_t>(channel)];
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
        *to++ = is_covered ? 0.0F : table[byte];
      }
    }
  }
}

void PatchMaker::append(const std::uint8_t* pixels, const ImageChange& change,
                        std::vector<float>& values) const {
  const auto [height, width, channels] = grid_.image;
  std::vector<float> image(static_cast<std::size_t>(grid_.image.elements()));
  normalise(pixels, change, image.data());
  std::size_t at = values.size();
  values.resize(at + static_cast<std::size_t>(grid_.count() * grid_.values()));
  for (std::int64_t row = 0; row < grid_.rows(); ++row) {
    for (std::int64_t column = 0; column < grid_.columns(); ++column) {
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        for (std::int64_t y = 0; y < grid_.patch; ++y) {
          const std::int64_t line = channel * height + row * grid_.stride + y;
          std::copy_n(image.data() + line * width + column * grid_.stride, grid_.patch,
                      values.data() + at);
          at += static_cast<std::size_t>(grid_.patch);
        }
      }
    }
  }
}

}  // namespace yona
