// Does a model fit into the memory that the control group of this process may have? A process that
// takes more is killed without a message, so that is found out before the weights are read.
#pragma once

#include <filesystem>

#include "yona/base/memory_limit.h"
#include "yona/io/translation_model.h"

namespace yona {

// Memory that weights take in int8: a file of the folder, which is read as it is, takes its size.
std::int64_t int8_memory(const std::filesystem::path& folder, std::int64_t parameters);

// Memory that the weights of a translation model take once all of them have been used.
std::int64_t weight_memory(const std::filesystem::path& folder, const TransformerConfig& config,
                           std::int64_t parameters, Packing packing);

struct ModelMemory {
  std::int64_t weights = 0;
  std::int64_t in_int8 = 0;  // what they would take in int8; 0 where they are, or cannot be
};

// Throws DeviceError with what is needed and the limit, and the way out where int8 is one. The
// limit is that of the control group, if there is one, or given with the memory already in use.
void check_model_memory(const std::filesystem::path& folder, const ModelMemory& memory);
void check_model_memory(const std::filesystem::path& folder, const ModelMemory& memory,
                        const MemoryLimit& limit, std::int64_t in_use);

}  // namespace yona
