#include "yona/cli/worker_backends.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/base/thread_pool.h"

namespace yona::cli {

void add_worker_flags(CLI::App& app, WorkerFlags& flags) {
  add_text(app, flags.device, {"--device", "cpu|cuda", "where to decode (default cpu)"});
  add_text(app, flags.threads,
           {"--threads", "N", "CPU threads of a worker (default: all that may be used)"});
  add_text(app, flags.workers,
           {"--workers", "N",
            "decode so many batches at once, each on CPUs of its own, with one copy of the weights "
            "(default 1, the quickest for one sentence): the most sentences a second when there "
            "are many"});
}

std::string device_of(const WorkerFlags& flags) {
  return word_value("--device", flags.device, {"cpu", "cuda"});
}

WorkerBackends worker_backends(const WorkerFlags& flags) {
  const std::string device = device_of(flags);
  const auto given = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096}));
  const auto count = static_cast<int>(integer_value("--workers", flags.workers, {1, 4096}));
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
