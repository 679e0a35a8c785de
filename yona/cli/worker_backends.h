// --threads and --workers of commands that decode: a backend for each worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "yona/decode/workers.h"

namespace yona::cli {

// Several workers share the CPUs, each pinned to its own.
struct WorkerBackends {
  std::vector<std::unique_ptr<Backend>> backends;
  std::vector<WorkerPlace> places;
};

// Throws InvalidArgument naming the flag, and as make_backend() does.
WorkerBackends worker_backends(const std::string& threads, const std::string& workers,
                               const std::string& device);

}  // namespace yona::cli
