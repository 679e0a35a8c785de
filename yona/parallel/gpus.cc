#include "yona/parallel/gpus.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

#include "yona/base/error.h"
#include "yona/parallel/collectives.h"

namespace yona {

namespace {

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

}  // namespace

std::vector<std::string> visible_gpus() {
  std::vector<std::string> gpus;
  if (const char* names = std::getenv(kVisible)) {
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ',');) {
      gpus.push_back(name);
    }
    return gpus;
  }
  std::error_code error;
  while (std::filesystem::exists(fmt::format("/dev/nvidia{}", gpus.size()), error)) {
    gpus.push_back(std::to_string(gpus.size()));
  }
  return gpus;
}

std::string gpu_of_rank(const std::vector<std::string>& seen, int rank,
                        const std::vector<std::string>& gpus) {
  const std::string& own = seen[static_cast<std::size_t>(rank)];
  std::size_t sharing = 0;
  std::size_t number = 0;
  for (std::size_t other = 0; other < seen.size(); ++other) {
    if (seen[other] == own) {
      ++sharing;
      number += other < static_cast<std::size_t>(rank) ? 1 : 0;
    }
  }
  check(
      sharing <= gpus.size(),
      "--device cuda: {} ranks share {} GPU{} on one machine, and each needs its own; start fewer "
      "ranks there",
      sharing, gpus.size(), gpus.size() == 1 ? "" : "s");
  return gpus[number];
}

void take_gpu(Communicator& ranks) {
  std::array<char, 256> host{};
  static_cast<void>(::gethostname(host.data(), host.size() - 1));
  const std::vector<std::string> gpus = visible_gpus();
  const std::vector<std::string> seen =
      gather_texts(ranks, fmt::format("{} {}", host.data(), fmt::join(gpus, ",")));
  const std::string own = gpu_of_rank(seen, ranks.rank(), gpus);
  ::setenv(kVisible, own.c_str(), 1);
}

}  // namespace yona
