// One matrix of attention with its labels: what pictures are drawn from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yona/inspect/attention_maps.h"

namespace yona {

struct HeatMap {
  std::string title;                       // "cross attention, layer 2, head 3"
  std::string place;                       // "layer 2, head 3"
  std::vector<std::string> rows, columns;  // labels: who looks, and at what
  std::vector<float> weights;              // [rows, columns]

  float at(std::size_t row, std::size_t column) const {
    return weights[row * columns.size() + column];
  }
};

// Which matrices are meant. Layers and heads are counted from 0.
struct AttentionChoice {
  AttentionPart part = AttentionPart::cross;
  std::optional<std::int64_t> layer = std::nullopt;  // every layer
  enum class Heads : std::uint8_t { one, all, mean } heads = Heads::all;
  std::int64_t head = 0;  // with Heads::one
};

// Throws InvalidArgument naming the range for a layer or a head that is not there.
void check_choice(const AttentionMaps& maps, const AttentionChoice& choice);

// The matrices of the choice, by layer and then by head.
std::vector<HeatMap> heat_maps(const AttentionMaps& maps, const AttentionChoice& choice);

}  // namespace yona
