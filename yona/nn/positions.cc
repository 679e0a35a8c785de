#include "yona/nn/positions.h"

#include <cmath>

namespace yona {

std::vector<double> sinusoids(std::int64_t count, std::int64_t d_model, double base) {
  std::vector<double> table(static_cast<std::size_t>(count * d_model));
  const std::int64_t sines = (d_model + 1) / 2;
  std::vector<double> waves(static_cast<std::size_t>(sines));
  for (std::int64_t i = 0; i < sines; ++i) {
    waves[static_cast<std::size_t>(i)] =
        std::pow(base, 2.0 * static_cast<double>(i) / static_cast<double>(d_model));
  }
  for (std::int64_t position = 0; position < count; ++position) {
    for (std::int64_t channel = 0; channel < d_model; ++channel) {
      const std::int64_t i = channel < sines ? channel : channel - sines;
      const double angle = static_cast<double>(position) / waves[static_cast<std::size_t>(i)];
      table[static_cast<std::size_t>(position * d_model + channel)] =
          channel < sines ? std::sin(angle) : std::cos(angle);
    }
  }
  return table;
}

Positions::Positions(PositionKind kind, std::int64_t count, std::int64_t d_model, double base)
    : kind_(kind) {
  if (kind == PositionKind::learned) {
    learned_ = {.shape = {count, d_model}, .init = Init::normal, .deviation = 0.02};
    add("weight", learned_);
  } else if (kind == PositionKind::sinusoidal) {
    sinusoids_ = {.shape = {count, d_model},
                  .values = [=] { return sinusoids(count, d_model, base); }};
    add(sinusoids_);
  }
}

}  // namespace yona
