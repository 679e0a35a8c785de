#include "yona/data/images/resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace yona {

namespace {

constexpr int kFractionBits = 32 - 8 - 2;  // as in Pillow: room for the sign and for overshoot

double sinc(double x) {
  const double y = x * std::numbers::pi;
  return x == 0.0 ? 1.0 : std::sin(y) / y;
}

// Keys 1981 with a = -0.5.
double bicubic_weight(double x) {
  constexpr double a = -0.5;
  if (x < 1.0) {
    return ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0;
  }
  return x < 2.0 ? (((x - 5.0) * x + 8.0) * x - 4.0) * a : 0.0;
}

double hamming_weight(double x) {
  return x >= 1.0 ? 0.0 : sinc(x) * (0.54 + 0.46 * std::cos(x * std::numbers::pi));
}

double weight_of(Resample resample, double x) {
  const double distance = std::abs(x);
  switch (resample) {
    case Resample::box:
      return x > -0.5 && x <= 0.5 ? 1.0 : 0.0;
    case Resample::bilinear:
      return std::max(0.0, 1.0 - distance);
    case Resample::hamming:
      return hamming_weight(distance);
    case Resample::bicubic:
      return bicubic_weight(distance);
    case Resample::lanczos:
      return distance < 3.0 ? sinc(x) * sinc(x / 3.0) : 0.0;
    case Resample::nearest:
      break;
  }
  return 0.0;
}

double support_of(Resample resample) {
  switch (resample) {
    case Resample::box:
      return 0.5;
    case Resample::bicubic:
      return 2.0;
    case Resample::lanczos:
      return 3.0;
    default:
      return 1.0;
  }
}

// Of which inputs, with which weights, an output is the sum.
struct Window {
  std::int64_t first = 0;
  std::vector<std::int32_t> weights{};
};

std::vector<Window> windows(std::int64_t in, std::int64_t out, Resample resample) {
  const double scale = static_cast<double>(in) / static_cast<double>(out);
  const double spread = std::max(scale, 1.0);
  const double support = support_of(resample) * spread;
  std::vector<Window> result(static_cast<std::size_t>(out));
  std::vector<double> weights;
  for (std::int64_t i = 0; i < out; ++i) {
    const double centre = (static_cast<double>(i) + 0.5) * scale;
    const auto first =
        std::max<std::int64_t>(0, static_cast<std::int64_t>(std::trunc(centre - support + 0.5)));
    const auto end =
        std::min<std::int64_t>(in, static_cast<std::int64_t>(std::trunc(centre + support + 0.5)));
    weights.clear();
    double sum = 0.0;
    for (std::int64_t j = first; j < end; ++j) {
      weights.push_back(weight_of(resample, (static_cast<double>(j) - centre + 0.5) / spread));
      sum += weights.back();
    }
    Window& window = result[static_cast<std::size_t>(i)];
    window.first = first;
    window.weights.reserve(weights.size());
    for (const double weight : weights) {
      const double scaled = (sum != 0.0 ? weight / sum : weight) * (1 << kFractionBits);
      window.weights.push_back(static_cast<std::int32_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5));
    }
  }
  return result;
}

std::uint8_t clipped(std::int64_t sum) {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(sum >> kFractionBits, 0, 255));
}

// Sums of values that lie `step` apart.
std::uint8_t weighted(const std::uint8_t* values, std::int64_t step, const Window& window) {
  std::int64_t sum = std::int64_t{1} << (kFractionBits - 1);
  for (const std::int32_t weight : window.weights) {
    sum += std::int64_t{weight} * *values;
    values += step;
  }
  return clipped(sum);
}

Picture with_columns(const Picture& picture, std::int64_t width, Resample resample) {
  const std::int64_t channels = picture.shape.channels;
  Picture result({picture.shape.height, width, channels});
  const std::vector<Window> columns = windows(picture.shape.width, width, resample);
  for (std::int64_t y = 0; y < picture.shape.height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const Window& window = columns[static_cast<std::size_t>(x)];
      for (std::int64_t channel = 0; channel < channels; ++channel) {
        *result.at(y, x, channel) =
            weighted(picture.at(y, window.first, channel), channels, window);
      }
    }
  }
  return result;
}

Picture with_rows(const Picture& picture, std::int64_t height, Resample resample) {
  const std::int64_t line = picture.shape.width * picture.shape.channels;
  Picture result({height, picture.shape.width, picture.shape.channels});
  const std::vector<Window> rows = windows(picture.shape.height, height, resample);
  for (std::int64_t y = 0; y < height; ++y) {
    const Window& window = rows[static_cast<std::size_t>(y)];
    const std::uint8_t* from = picture.at(window.first, 0, 0);
    std::uint8_t* to = result.at(y, 0, 0);
    for (std::int64_t x = 0; x < line; ++x) {
      to[x] = weighted(from + x, line, window);
    }
  }
  return result;
}

Picture nearest(const Picture& picture, std::int64_t height, std::int64_t width) {
  Picture result({height, width, picture.shape.channels});
  const auto source = [](std::int64_t i, std::int64_t in, std::int64_t out) {
    const double place =
        (static_cast<double>(i) + 0.5) * static_cast<double>(in) / static_cast<double>(out);
    return std::min(static_cast<std::int64_t>(place), in - 1);
  };
  for (std::int64_t y = 0; y < height; ++y) {
    for (std::int64_t x = 0; x < width; ++x) {
      const std::uint8_t* from = picture.at(source(y, picture.shape.height, height),
                                            source(x, picture.shape.width, width), 0);
      std::copy_n(from, picture.shape.channels, result.at(y, x, 0));
    }
  }
  return result;
}

}  // namespace

Picture resized(const Picture& picture, std::int64_t height, std::int64_t width,
                Resample resample) {
  if (height == picture.shape.height && width == picture.shape.width) {
    return picture;
  }
  if (resample == Resample::nearest) {
    return nearest(picture, height, width);
  }
  const Picture columns =
      width == picture.shape.width ? picture : with_columns(picture, width, resample);
  return height == picture.shape.height ? columns : with_rows(columns, height, resample);
}

}  // namespace yona
