// Where memory lives and kernels run. `meta` computes nothing and owns nothing: a step run on it
// tells how much memory the same step will need (see docs/memory.md).
#pragma once

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

namespace yona {

enum class Device : std::uint8_t { cpu, cuda, meta };

constexpr std::string_view name_of(Device device) {
  switch (device) {
    case Device::cpu:
      return "cpu";
    case Device::cuda:
      return "cuda";
    case Device::meta:
      return "meta";
  }
  return "?";
}

}  // namespace yona

template <>
struct fmt::formatter<yona::Device> : fmt::formatter<std::string_view> {
  template <class FormatContext>
  auto format(yona::Device device, FormatContext& context) const {
    return fmt::formatter<std::string_view>::format(yona::name_of(device), context);
  }
};
