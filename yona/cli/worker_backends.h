// --device, --threads and --workers of commands that decode.
#pragma once

#include <string>

#include "yona/cli/command.h"
#include "yona/decode/worker_backends.h"

namespace yona::cli {

struct WorkerFlags {
  std::string device = "cpu", threads = "0", workers = "1";
};

void add_worker_flags(CLI::App& app, WorkerFlags& flags);

// "cpu" or "cuda". Throws InvalidArgument naming the flag.
std::string device_of(const WorkerFlags& flags);

// Throws InvalidArgument naming the flag.
WorkerChoice worker_choice(const WorkerFlags& flags);

}  // namespace yona::cli
