// The position of a token in its sentence, as a vector added to its embedding (paper §3.5).
//
//   PE(pos, 2i) = sin(pos / 10000^(2i/d)),  PE(pos, 2i+1) = cos(pos / 10000^(2i/d))
//
// The channels are kept in the order of the Hugging Face families, all sines and then all cosines:
// the paper's up to an order of channels, which training does not see.
#pragma once

#include <array>
#include <string_view>

#include "yona/nn/module.h"

namespace yona {

// relative: no vectors, see relative_positions.h; nor for rotary, see rotary.h.
enum class PositionKind : std::uint8_t { sinusoidal, learned, none, relative, rotary };
constexpr std::array<std::string_view, 5> enum_names(PositionKind) {
  return {"sinusoidal", "learned", "none", "relative", "rotary"};
}

class Positions : public Module {
 public:
  // base is 10000 in the paper; learned positions are Table 3, row E. Sinusoids begin at position
  // `first`: 0 in the paper.
  Positions(PositionKind kind, std::int64_t count, std::int64_t d_model, double base,
            std::int64_t first = 0);

  // [count, d_model], or empty for the others.
  const Tensor& table() const {
    return kind_ == PositionKind::learned ? learned_.value : sinusoids_.value;
  }

 private:
  PositionKind kind_;
  Parameter learned_;
  Constant sinusoids_;
};

// Of positions first … first + count - 1.
std::vector<double> sinusoids(std::int64_t count, std::int64_t d_model, double base,
                              std::int64_t first = 0);

}  // namespace yona
