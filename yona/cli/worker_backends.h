// --device, --threads and --workers of commands that decode: a backend for each worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yona/cli/command.h"
#include "yona/decode/workers.h"

namespace yona::cli {

struct WorkerFlags {
  std::string device = "cpu", threads = "0", workers = "1";
};

void add_worker_flags(CLI::App& app, WorkerFlags& flags);

// "cpu" or "cuda". Throws InvalidArgument naming the flag.
std::string device_of(const WorkerFlags& flags);

// Several workers share the CPUs, each pinned to its own.
struct WorkerBackends {
  std::vector<std::unique_ptr<Backend>> backends;
  std::vector<WorkerPlace> places;
};

// Throws InvalidArgument naming the flag, and as make_backend() does.
WorkerBackends worker_backends(const WorkerFlags& flags);

}  // namespace yona::cli
