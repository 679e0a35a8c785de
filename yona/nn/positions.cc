#include "yona/nn/positions.h"

#include <cmath>

namespace yona {

namespace {

// sin and cos of (first + n · step) / wave for count n and all waves: [n][wave].
struct Turns {
  Turns(std::int64_t count, std::int64_t first, std::int64_t step,
        const std::vector<double>& waves) {
    for (std::int64_t n = 0; n < count; ++n) {
      for (const double wave : waves) {
        const double angle = static_cast<double>(first + n * step) / wave;
        sines.push_back(std::sin(angle));
        cosines.push_back(std::cos(angle));
      }
    }
  }
  std::vector<double> sines, cosines;
};

}  // namespace

// sin(a + b) = sin a cos b + cos a sin b: a multiple of 32 and a rest take a sixteenth of the sines
// and cosines, in doubles, so that f32 does not see the difference.
std::vector<double> sinusoids(std::int64_t count, std::int64_t d_model, double base,
                              std::int64_t first) {
  constexpr std::int64_t kStep = 32;
  const std::int64_t sines = (d_model + 1) / 2;
  std::vector<double> waves;
  for (std::int64_t i = 0; i < sines; ++i) {
    waves.push_back(std::pow(base, 2.0 * static_cast<double>(i) / static_cast<double>(d_model)));
  }
  const Turns large((count + kStep - 1) / kStep, 0, kStep, waves);
  const Turns small(kStep, first, 1, waves);
  std::vector<double> table(static_cast<std::size_t>(count * d_model));
  for (std::int64_t position = 0; position < count; ++position) {
    const auto a = static_cast<std::size_t>(position / kStep * sines);
    const auto b = static_cast<std::size_t>(position % kStep * sines);
    double* row = table.data() + position * d_model;
    for (std::size_t i = 0; i < waves.size(); ++i) {
      row[i] =
          large.sines[a + i] * small.cosines[b + i] + large.cosines[a + i] * small.sines[b + i];
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(d_model - sines); ++i) {
      row[waves.size() + i] =
          large.cosines[a + i] * small.cosines[b + i] - large.sines[a + i] * small.sines[b + i];
    }
  }
  return table;
}

Positions::Positions(PositionKind kind, std::int64_t count, std::int64_t d_model, double base,
                     std::int64_t first)
    : kind_(kind) {
  if (kind == PositionKind::learned) {
    learned_ = {.shape = {count, d_model}, .init = Init::normal, .deviation = 0.02};
    add("weight", learned_);
  } else if (kind == PositionKind::sinusoidal) {
    sinusoids_ = {.shape = {count, d_model},
                  .values = [=] { return sinusoids(count, d_model, base, first); }};
    add(sinusoids_);
  }
}

}  // namespace yona
