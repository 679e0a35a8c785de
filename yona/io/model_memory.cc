#include "yona/io/model_memory.h"

#include <system_error>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/io/int8_weights_file.h"

namespace yona {

namespace {

// For one sentence: caches, sub-words, buffers of kernels. What a larger batch takes is checked
// when it is taken.
constexpr std::int64_t kDecoding = 32 << 20;

}  // namespace

std::int64_t int8_memory(const std::filesystem::path& folder, std::int64_t parameters) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(folder / kInt8File, error);
  return error ? parameters : static_cast<std::int64_t>(size);
}

std::int64_t weight_memory(const std::filesystem::path& folder, const TransformerConfig& config,
                           std::int64_t parameters, Packing packing) {
  if (packing == Packing::int8) {
    return int8_memory(folder, parameters);
  }
  const std::int64_t weights = parameters * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t screen = config.target_vocabulary * config.d_model;  // PackedWeights::screen()
  return packing == Packing::yes ? weights + screen : weights;
}

void check_model_memory(const std::filesystem::path& folder, const ModelMemory& memory) {
  if (const auto limit = group_memory_limit()) {
    check_model_memory(folder, memory, *limit, private_memory_in_use());
  }
}

void check_model_memory(const std::filesystem::path& folder, const ModelMemory& memory,
                        const MemoryLimit& limit, std::int64_t in_use) {
  const std::int64_t others = in_use + kDecoding;
  const std::int64_t needed = others + memory.weights;
  const std::int64_t in_int8 = others + memory.in_int8;
  const bool int8_fits = memory.in_int8 > 0 && in_int8 <= limit.bytes;
  check<DeviceError>(
      needed <= limit.bytes, "{}: about {} of memory are needed, the limit ({}) is {}{}",
      folder.string(), short_bytes(needed), limit.source, short_bytes(limit.bytes),
      int8_fits
          ? fmt::format("; raise it, or compute in int8, which needs {} (--compute-type int8)",
                        short_bytes(in_int8))
          : "; raise it, or use a smaller model");
}

}  // namespace yona
