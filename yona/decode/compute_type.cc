#include "yona/decode/compute_type.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "yona/backend/cpu/features.h"
#include "yona/base/error.h"
#include "yona/base/log.h"

namespace yona {

namespace {

ComputeType cuda_type(std::string_view type, std::string_view option) {
  check(type != "int8", "{}: int8 decodes on CPUs alone; use bf16, or the device cpu", option);
  return {.precision = type == "f32"   ? Precision::f32
                       : type == "f16" ? Precision::f16
                                       : Precision::bf16,
          .packing = Packing::no};
}

ComputeType cpu_type(std::string_view type, std::string_view option) {
  check(type != "f16", "{}: f16 decodes on GPUs alone; use f32, or the device cuda", option);
  if (type == "int8" || (type == "auto" && int8_is_faster())) {
    return {.packing = Packing::int8};
  }
  if (type.empty() || type == "auto") {
    return {.is_folders = true};
  }
  if (type == "bf16" && cpu_has_bf16()) {
    return {.precision = Precision::bf16, .packing = Packing::no};
  }
  if (type == "bf16") {
    log().warn("{}: this CPU has no bf16 instructions; f32 is used", option);
  }
  return {};
}

}  // namespace

ComputeType ComputeType::of_language_model(Device device) const {
  const bool is_half = device == Device::cpu && precision == Precision::bf16;
  return is_half ? ComputeType{.packing = Packing::bf16} : *this;
}

Packing ComputeType::packing_of(const std::filesystem::path& folder) const {
  return is_folders ? yona::packing_of(folder) : packing;
}

const std::vector<std::string>& compute_type_names() {
  static const std::vector<std::string> names{"auto", "f32", "bf16", "f16", "int8"};
  return names;
}

ComputeType choose_compute_type(std::string_view type, std::string_view device,
                                std::string_view option) {
  const auto& names = compute_type_names();
  check(type.empty() || std::find(names.begin(), names.end(), type) != names.end(),
        "{}: expected one of {}, got '{}'", option, fmt::join(names, ", "), type);
  return device == "cuda" ? cuda_type(type, option) : cpu_type(type, option);
}

}  // namespace yona
