// Rotary position embedding (Su et al. 2021): queries and keys are turned by angles that grow with
// their position, so that a score depends on the distance of the two. Nothing is added to
// embeddings. Channel pairs and their order are those of Llama on Hugging Face
// (tensor/ops/rotary.h).
//
//   angle(position, i) = position · base^(-2i/r),  i < r/2
#pragma once

#include <array>
#include <string_view>

#include "yona/nn/module.h"

namespace yona {

// How angles are changed for contexts longer than a model was first trained on: not at all; all
// slower by a factor (Chen et al. 2023, position interpolation); or as Llama 3.1 does, where only
// long waves are slower, with a smooth passage between.
enum class RotaryScaling : std::uint8_t { none, linear, llama3 };
constexpr std::array<std::string_view, 3> enum_names(RotaryScaling) {
  return {"none", "linear", "llama3"};
}

struct RotaryOptions {
  std::int64_t channels = 64;  // r: of a head, that are turned; the others stay
  double base = 10000.0;
  std::int64_t max_positions = 2048;
  RotaryScaling scaling = RotaryScaling::none;
  double factor = 1.0;
  double low_frequency = 1.0, high_frequency = 4.0;  // llama3: waves in original_positions
  double original_positions = 8192.0;
};

// Angles at position 1, one for each pair of channels.
std::vector<double> rotary_frequencies(const RotaryOptions& options);
// [max_positions, channels]: cosines and then sines of each position's angles.
std::vector<double> rotary_table(const RotaryOptions& options);

// The table, once for all layers of a model, which owns and registers it.
class RotaryPositions : public Module {
 public:
  explicit RotaryPositions(const RotaryOptions& options);
  const Tensor& table() const { return table_.value; }

 private:
  Constant table_;
};

}  // namespace yona
