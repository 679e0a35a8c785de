#include "yona/nn/rotary.h"

#include <cmath>
#include <numbers>

#include "yona/base/error.h"

namespace yona {

namespace {

// Long waves are slower by the factor, short ones as they are, those between a mixture.
double scaled_as_llama3(double frequency, const RotaryOptions& options) {
  const double waves = options.original_positions * frequency / (2.0 * std::numbers::pi);
  if (waves < options.low_frequency) {
    return frequency / options.factor;
  }
  if (waves > options.high_frequency) {
    return frequency;
  }
  const double share =
      (waves - options.low_frequency) / (options.high_frequency - options.low_frequency);
  return (1.0 - share) * frequency / options.factor + share * frequency;
}

double scaled(double frequency, const RotaryOptions& options) {
  switch (options.scaling) {
    case RotaryScaling::none:
      return frequency;
    case RotaryScaling::linear:
      return frequency / options.factor;
    case RotaryScaling::llama3:
      return scaled_as_llama3(frequency, options);
  }
  fail("rotary: unknown scaling {}", static_cast<int>(options.scaling));
}

}  // namespace

std::vector<double> rotary_frequencies(const RotaryOptions& options) {
  check(options.channels > 0 && options.channels % 2 == 0,
        "rotary: {} channels of a head are not pairs", options.channels);
  check(options.base > 1.0, "rotary: a base of {} is not above 1", options.base);
  check(options.factor > 0.0, "rotary: a factor of {} is not above 0", options.factor);
  check(options.scaling != RotaryScaling::llama3 || options.high_frequency > options.low_frequency,
        "rotary: the high frequency {} is not above the low one, {}", options.high_frequency,
        options.low_frequency);
  std::vector<double> frequencies;
  for (std::int64_t i = 0; i < options.channels; i += 2) {
    const double exponent = static_cast<double>(i) / static_cast<double>(options.channels);
    frequencies.push_back(scaled(std::pow(options.base, -exponent), options));
  }
  return frequencies;
}

std::vector<double> rotary_table(const RotaryOptions& options) {
  const std::vector<double> frequencies = rotary_frequencies(options);
  std::vector<double> table;
  table.reserve(static_cast<std::size_t>(options.max_positions * options.channels));
  for (std::int64_t position = 0; position < options.max_positions; ++position) {
    for (const double frequency : frequencies) {
      table.push_back(std::cos(static_cast<double>(position) * frequency));
    }
    for (const double frequency : frequencies) {
      table.push_back(std::sin(static_cast<double>(position) * frequency));
    }
  }
  return table;
}

RotaryPositions::RotaryPositions(const RotaryOptions& options) {
  rotary_frequencies(options);  // throws where they cannot be
  table_ = {.shape = {options.max_positions, options.channels},
            .values = [options] { return rotary_table(options); }};
  add(table_);
}

}  // namespace yona
