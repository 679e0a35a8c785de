#include "yona/cli/compute_type.h"

#include "yona/backend/cpu/features.h"
#include "yona/base/error.h"
#include "yona/base/log.h"

namespace yona::cli {

namespace {

ComputeType cuda_type(const std::string& type) {
  check(type != "int8", "--compute-type: int8 decodes on CPUs alone; use bf16, or --device cpu");
  return {.precision = type == "f32"   ? Precision::f32
                       : type == "f16" ? Precision::f16
                                       : Precision::bf16,
          .packing = Packing::no};
}

ComputeType cpu_type(const std::string& type) {
  check(type != "f16", "--compute-type: f16 decodes on GPUs alone; use f32, or --device cuda");
  if (type.empty()) {
    return {.is_folders = true};
  }
  if (type == "int8" || (type == "auto" && int8_is_faster())) {
    return {.packing = Packing::int8};
  }
  if (type == "auto") {
    return {.is_folders = true};
  }
  if (type == "bf16" && cpu_has_bf16()) {
    return {.precision = Precision::bf16, .packing = Packing::no};
  }
  if (type == "bf16") {
    log().warn("--compute-type: this CPU has no bf16 instructions; f32 is used");
  }
  return {};
}

}  // namespace

void add_compute_type(CLI::App& app, std::string& flag) {
  add_text(app, flag,
           {"--compute-type", "auto|f32|bf16|f16|int8",
            "arithmetic: by default bf16 on a GPU, on a CPU as the weights are (f32 or int8); auto "
            "is the fastest on this machine; f16, for GPUs, is as fast as bf16 and finer, but ends "
            "at 65504; int8 is for CPUs"});
}

Packing ComputeType::packing_of(const std::filesystem::path& folder) const {
  return is_folders ? yona::packing_of(folder) : packing;
}

ComputeType compute_type(const std::string& flag, const std::string& device) {
  const std::string type =
      flag.empty() ? flag
                   : word_value("--compute-type", flag, {"auto", "f32", "bf16", "f16", "int8"});
  return device == "cuda" ? cuda_type(type) : cpu_type(type);
}

// A GPU is busy from a few hundred sentences on; a CPU's caches hold fewer.
std::int64_t decode_batch_tokens(const std::string& flag, const std::string& device) {
  constexpr std::int64_t kCpu = 4096;
  constexpr std::int64_t kCuda = 65536;
  return flag.empty() ? (device == "cuda" ? kCuda : kCpu)
                      : integer_value("--batch-tokens", flag, {1, 1 << 30});
}

}  // namespace yona::cli
