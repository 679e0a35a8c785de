// The settings of an end-to-end memory network (memory_network.h).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "yona/config/config_key.h"

namespace yona {

// Which tables are one (§2.2 of the paper). adjacent: what a hop reads is what the next one looks
// for. layer_wise: all hops have the same two tables, as a recurrent network has.
enum class MemoryTying : std::uint8_t { adjacent, layer_wise };
constexpr std::array<std::string_view, 2> enum_names(MemoryTying) {
  return {"adjacent", "layer-wise"};
}

struct MemoryNetworkConfig {
  std::int64_t vocabulary = 0;  // follows from the training files
  std::int64_t d_model = 32;
  std::int64_t hops = 3;
  std::int64_t memory = 50;  // sentences; of longer stories the last ones
  MemoryTying tying = MemoryTying::adjacent;
  bool position_encoding = true;
  bool temporal_encoding = true;
};

// Throws InvalidArgument naming the key.
void check_config(const MemoryNetworkConfig& config);

ConfigKeys<MemoryNetworkConfig> memory_network_keys();

}  // namespace yona
