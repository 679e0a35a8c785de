#include "yona/cli/worker_backends.h"

#include "yona/base/error.h"

namespace yona::cli {

void add_worker_flags(CLI::App& app, WorkerFlags& flags) {
  add_text(app, flags.device, {"--device", "cpu|cuda", "where to run (default cpu)"});
  add_text(app, flags.threads,
           {"--threads", "N", "CPU threads of a worker (default: all that may be used)"});
  add_text(
      app, flags.workers,
      {"--workers", "N",
       "batches decoded at once, each on its own CPUs, with one copy of the weights (default 1: "
       "lowest latency; more: highest throughput)"});
}

std::string device_of(const WorkerFlags& flags) {
  return word_value("--device", flags.device, {"cpu", "cuda"});
}

WorkerChoice worker_choice(const WorkerFlags& flags) {
  WorkerChoice choice{
      .device = device_of(flags),
      .threads = static_cast<int>(integer_value("--threads", flags.threads, {0, 4096})),
      .workers = static_cast<int>(integer_value("--workers", flags.workers, {1, 4096}))};
  check(choice.workers == 1 || choice.device == "cpu", "--workers: a GPU takes one; leave it out");
  return choice;
}

}  // namespace yona::cli
