#include "yona/cli/worker_backends.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/base/thread_pool.h"
#include "yona/cli/command.h"

namespace yona::cli {

WorkerBackends worker_backends(const std::string& threads, const std::string& workers,
                               const std::string& device) {
  const auto given = static_cast<int>(integer_value("--threads", threads, {0, 4096}));
  const auto count = static_cast<int>(integer_value("--workers", workers, {1, 4096}));
  check(count == 1 || device == "cpu", "--workers: a GPU takes one; leave it out");
  const int each = given > 0 || count == 1 ? given : std::max(1, available_cpus() / count);
  WorkerBackends all;
  for (int i = 0; i < count; ++i) {
    const int cpu = count > 1 ? i * each : -1;
    all.backends.push_back(make_backend(device, {.threads = each, .first_cpu = cpu}));
    all.places.push_back({all.backends.back().get(), cpu});
  }
  return all;
}

}  // namespace yona::cli
