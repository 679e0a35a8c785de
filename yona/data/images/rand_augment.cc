#include "yona/data/images/rand_augment.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace yona {

namespace {

using Table = std::array<std::uint8_t, 256>;
using Histogram = std::array<std::int64_t, 256>;
using Affine = std::array<double, 6>;  // from output to input: x = a·x + b·y + c, then y

std::uint8_t byte_of(double value) {
  return static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
}

template <class Function>
Table table_of(const Function& function) {
  Table table{};
  for (int i = 0; i < 256; ++i) {
    table[static_cast<std::size_t>(i)] = function(i);
  }
  return table;
}

Picture mapped(const Picture& picture, std::int64_t channel, const Table& table) {
  Picture result = picture;
  const auto step = static_cast<std::size_t>(picture.shape.channels);
  for (std::size_t i = static_cast<std::size_t>(channel); i < result.pixels.size(); i += step) {
    result.pixels[i] = table[result.pixels[i]];
  }
  return result;
}

Picture mapped(Picture picture, const Table& table) {
  for (std::uint8_t& pixel : picture.pixels) {
    pixel = table[pixel];
  }
  return picture;
}

Histogram histogram_of(const Picture& picture, std::int64_t channel) {
  Histogram counts{};
  const auto step = static_cast<std::size_t>(picture.shape.channels);
  for (std::size_t i = static_cast<std::size_t>(channel); i < picture.pixels.size(); i += step) {
    ++counts[picture.pixels[i]];
  }
  return counts;
}

// The darkest becomes 0, the lightest 255.
Table contrast_table(const Histogram& counts) {
  const auto is_used = [](std::int64_t count) { return count > 0; };
  const auto low = std::find_if(counts.begin(), counts.end(), is_used) - counts.begin();
  const auto high = 255 - (std::find_if(counts.rbegin(), counts.rend(), is_used) - counts.rbegin());
  if (high <= low) {
    return table_of([](int i) { return static_cast<std::uint8_t>(i); });
  }
  const double scale = 255.0 / static_cast<double>(high - low);
  const double offset = -static_cast<double>(low) * scale;
  return table_of([&](int i) { return byte_of(std::trunc(i * scale + offset)); });
}

// All values about equally often.
Table equal_table(const Histogram& counts) {
  const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const auto last =
      std::find_if(counts.rbegin(), counts.rend(), [](std::int64_t count) { return count > 0; });
  const std::int64_t step = (total - *last) / 255;
  if (step == 0) {
    return table_of([](int i) { return static_cast<std::uint8_t>(i); });
  }
  std::int64_t sum = step / 2;
  return table_of([&](int i) {
    const std::int64_t value = sum / step;
    sum += counts[static_cast<std::size_t>(i)];
    return byte_of(static_cast<double>(value));
  });
}

template <class TableOf>
Picture by_histogram(const Picture& picture, const TableOf& of) {
  Picture result = picture;
  for (std::int64_t channel = 0; channel < picture.shape.channels; ++channel) {
    result = mapped(result, channel, of(histogram_of(picture, channel)));
  }
  return result;
}

// plain + factor · (picture - plain), in 32-bit floats.
Picture blended(const Picture& plain, const Picture& picture, double factor) {
  Picture result = picture;
  const auto share = static_cast<float>(factor);
  for (std::size_t i = 0; i < result.pixels.size(); ++i) {
    const auto from = static_cast<float>(plain.pixels[i]);
    const float value = from + share * (static_cast<float>(picture.pixels[i]) - from);
    result.pixels[i] = byte_of(static_cast<double>(value));
  }
  return result;
}

Picture uniform(const ImageShape& shape, std::uint8_t value) {
  Picture result(shape);
  std::fill(result.pixels.begin(), result.pixels.end(), value);
  return result;
}

Picture grey_of(const Picture& picture) {
  return with_channels(with_channels(picture, 1), picture.shape.channels);
}

std::uint8_t mean_grey(const Picture& picture) {
  const Picture grey = with_channels(picture, 1);
  const double sum = std::accumulate(grey.pixels.begin(), grey.pixels.end(), 0.0);
  return byte_of(std::trunc(sum / static_cast<double>(grey.pixels.size()) + 0.5));
}

// Each pixel five times, its neighbours once; the border stays as it is.
Picture smooth(const Picture& picture) {
  Picture result = picture;
  const auto [height, width, channels] = picture.shape;
  for (std::int64_t y = 1; y + 1 < height; ++y) {
    for (std::int64_t x = 1; x + 1 < width; ++x) {
      for (std::int64_t c = 0; c < channels; ++c) {
        int sum = 4 * *picture.at(y, x, c);
        for (std::int64_t down = -1; down <= 1; ++down) {
          for (std::int64_t right = -1; right <= 1; ++right) {
            sum += *picture.at(y + down, x + right, c);
          }
        }
        *result.at(y, x, c) = byte_of(sum / 13.0 + 0.5);
      }
    }
  }
  return result;
}

// The nearest pixel, in fixed point with 16 bits of fraction.
Picture transformed(const Picture& picture, const Affine& m) {
  const auto fixed = [](double x) {
    return static_cast<std::int64_t>(std::floor(x * 65536.0 + 0.5));
  };
  const auto [height, width, channels] = picture.shape;
  Picture result(picture.shape);
  std::int64_t row_x = fixed(m[2] + 0.5 * m[0] + 0.5 * m[1]);
  std::int64_t row_y = fixed(m[5] + 0.5 * m[3] + 0.5 * m[4]);
  for (std::int64_t y = 0; y < height; ++y) {
    std::int64_t at_x = row_x;
    std::int64_t at_y = row_y;
    for (std::int64_t x = 0; x < width; ++x) {
      const std::int64_t from_x = at_x >> 16U;
      const std::int64_t from_y = at_y >> 16U;
      if (from_x >= 0 && from_x < width && from_y >= 0 && from_y < height) {
        std::copy_n(picture.at(from_y, from_x, 0), channels, result.at(y, x, 0));
      }
      at_x += fixed(m[0]);
      at_y += fixed(m[3]);
    }
    row_x += fixed(m[1]);
    row_y += fixed(m[4]);
  }
  return result;
}

// Around the middle, anticlockwise.
Affine rotation(const ImageShape& shape, double degrees) {
  const double angle = -degrees * std::numbers::pi / 180.0;
  const double cosine = std::cos(angle);
  const double sine = std::sin(angle);
  const double x = static_cast<double>(shape.width) / 2.0;
  const double y = static_cast<double>(shape.height) / 2.0;
  return {cosine, sine,   x - cosine * x - sine * y,  //
          -sine,  cosine, y + sine * x - cosine * y};
}

// The strength of an operation at this magnitude, on one side or the other where it has two.
double strength_of(PictureOperation operation, double magnitude, const ImageShape& shape,
                   double side) {
  constexpr double kMost = 30.0;
  const double share = magnitude / kMost;
  constexpr double kMostMove = 150.0 / 331.0;
  switch (operation) {
    case PictureOperation::rotate:
      return side * 30.0 * share;
    case PictureOperation::solarize:
      return 255.0 - 255.0 * share;
    case PictureOperation::posterize:
      return 8.0 - std::round(4.0 * share);
    case PictureOperation::color:
    case PictureOperation::contrast:
    case PictureOperation::brightness:
    case PictureOperation::sharpness:
      return 1.0 + side * 0.9 * share;
    case PictureOperation::shear_x:
    case PictureOperation::shear_y:
      return side * 0.3 * share;
    case PictureOperation::translate_x:
      return side * std::trunc(kMostMove * static_cast<double>(shape.width) * share);
    case PictureOperation::translate_y:
      return side * std::trunc(kMostMove * static_cast<double>(shape.height) * share);
    default:
      return 0.0;
  }
}

}  // namespace

Picture changed(const Picture& picture, PictureOperation operation, double strength) {
  switch (operation) {
    case PictureOperation::identity:
      return picture;
    case PictureOperation::auto_contrast:
      return by_histogram(picture, contrast_table);
    case PictureOperation::equalize:
      return by_histogram(picture, equal_table);
    case PictureOperation::rotate:
      return transformed(picture, rotation(picture.shape, strength));
    case PictureOperation::solarize:
      return mapped(picture, table_of([&](int i) {
                      return static_cast<std::uint8_t>(i < strength ? i : 255 - i);
                    }));
    case PictureOperation::posterize: {
      const auto lost = static_cast<unsigned>(8.0 - strength);
      const unsigned mask = ~((1U << lost) - 1U);
      return mapped(picture, table_of([&](int i) {
                      return static_cast<std::uint8_t>(static_cast<unsigned>(i) & mask);
                    }));
    }
    case PictureOperation::color:
      return blended(grey_of(picture), picture, strength);
    case PictureOperation::contrast:
      return blended(uniform(picture.shape, mean_grey(picture)), picture, strength);
    case PictureOperation::brightness:
      return blended(uniform(picture.shape, 0), picture, strength);
    case PictureOperation::sharpness:
      return blended(smooth(picture), picture, strength);
    case PictureOperation::shear_x:
      return transformed(picture, {1, strength, 0, 0, 1, 0});
    case PictureOperation::shear_y:
      return transformed(picture, {1, 0, 0, strength, 1, 0});
    case PictureOperation::translate_x:
      return transformed(picture, {1, 0, -strength, 0, 1, 0});
    case PictureOperation::translate_y:
      return transformed(picture, {1, 0, 0, 0, 1, -strength});
  }
  return picture;
}

Picture rand_augmented(const Picture& picture, const RandAugment& options, RandomSequence& random) {
  Picture result = picture;
  for (std::int64_t i = 0; i < options.operations; ++i) {
    const auto operation =
        static_cast<PictureOperation>(random.below(enum_names(PictureOperation{}).size()));
    const double side = random.below(2) == 0 ? 1.0 : -1.0;
    result =
        changed(result, operation, strength_of(operation, options.magnitude, picture.shape, side));
  }
  return result;
}

}  // namespace yona
