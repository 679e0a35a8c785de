#include "yona/cli/devices.h"

#include <fstream>
#include <string>

#include <fmt/format.h>

#include "yona/backend/backend.h"
#include "yona/backend/cpu/features.h"
#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/thread_pool.h"

namespace yona::cli {

namespace {

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

Json describe_cpu() {
  const std::vector<Isa> isas = available_isas();
  std::vector<std::string> sets;
  sets.reserve(isas.size());
  for (const Isa isa : isas) {
    sets.emplace_back(name_of(isa));
  }
  const auto backend = make_backend("cpu", {.threads = 1});
  return {{"name", cpu_name()},
          {"usable_cpus", available_cpus()},
          {"memory_bytes", backend->memory_bytes()},
          {"instruction_sets", sets},
          {"in_use", name_of(current_isa())},
          {"bf16", cpu_has_bf16()}};
}

Json describe_cuda() {
  try {
    const auto backend = make_backend("cuda");
    return {{"usable", true}, {"memory_bytes", backend->memory_bytes()}};
  } catch (const DeviceError& error) {  // the answer, not a failure
    return {{"usable", false}, {"reason", error.what()}};
  }
}

}  // namespace

Json describe_devices() { return {{"cpu", describe_cpu()}, {"cuda", describe_cuda()}}; }

void print_devices(const Json& devices) {
  const Json& cpu = devices.at("cpu");
  fmt::print("cpu: {}\n", cpu.at("name").get<std::string>());
  fmt::print("  {} CPUs usable, {} of memory\n", cpu.at("usable_cpus").get<int>(),
             short_bytes(cpu.at("memory_bytes").get<std::int64_t>()));
  fmt::print("  instruction sets: {}; in use: {}\n",
             fmt::join(cpu.at("instruction_sets").get<std::vector<std::string>>(), ", "),
             cpu.at("in_use").get<std::string>());
  fmt::print("  bf16 products: {}\n",
             cpu.at("bf16").get<bool>() ? "in hardware" : "not in hardware; f32 is faster here");
  const Json& cuda = devices.at("cuda");
  if (cuda.at("usable").get<bool>()) {
    fmt::print("cuda: usable, {} of memory\n",
               short_bytes(cuda.at("memory_bytes").get<std::int64_t>()));
  } else {
    fmt::print("cuda: not usable: {}\n", cuda.at("reason").get<std::string>());
  }
}

}  // namespace yona::cli
