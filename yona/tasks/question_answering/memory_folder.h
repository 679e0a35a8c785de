// The folder of a memory network: config.json, which has its words, and model.safetensors.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/models/memory_network_config.h"
#include "yona/nn/parameters.h"

namespace yona {

Json memory_network_config(const MemoryNetworkConfig& config,
                           const std::vector<std::string>& words);

struct MemoryNetworkInfo {
  MemoryNetworkConfig config;
  std::vector<std::string> words{};
};

// From config.json. Throws IoError, or FormatError naming file and key.
MemoryNetworkInfo read_memory_info(const std::filesystem::path& folder);

void write_memory_weights(const std::filesystem::path& path, const Parameters& parameters);
// Throws IoError, or FormatError naming the folder and the tensor that is missing or of another
// shape.
void read_memory_weights(const std::filesystem::path& folder, const Parameters& parameters);

}  // namespace yona
