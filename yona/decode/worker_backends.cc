#include "yona/decode/worker_backends.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/base/thread_pool.h"
#include "yona/decode/translator.h"

namespace yona {

WorkerBackends worker_backends(const WorkerChoice& choice) {
  const int count = choice.workers;
  check(choice.device == "cpu" || choice.device == "cuda", "device: expected cpu or cuda, got '{}'",
        choice.device);
  check(count >= 1, "workers: {} is below 1", count);
  check(count == 1 || choice.device == "cpu", "workers: a GPU takes one, got {}", count);
  const int each =
      choice.threads > 0 || count == 1 ? choice.threads : std::max(1, available_cpus() / count);
  WorkerBackends all;
  for (int i = 0; i < count; ++i) {
    const int cpu = count > 1 ? i * each : -1;
    all.backends.push_back(make_backend(choice.device, {.threads = each, .first_cpu = cpu}));
    all.places.push_back({all.backends.back().get(), cpu});
  }
  return all;
}

// A GPU is busy from a few hundred sentences on; a CPU's caches hold fewer.
std::int64_t default_batch_tokens(std::string_view device) {
  return device == "cuda" ? 65536 : TextOptions{}.batch_tokens;
}

std::int64_t parse_batch_tokens(std::string_view device, std::int64_t beam) {
  return device == "cuda" ? default_batch_tokens(device) : beam == 1 ? 512 : 2048;
}

}  // namespace yona
