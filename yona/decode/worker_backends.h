// How a device is used for decoding: a backend for each worker, and how large batches are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/decode/workers.h"

namespace yona {

struct WorkerChoice {
  std::string device = "cpu";  // or "cuda"
  int threads = 0;             // of each worker; 0: all CPUs that may be used, shared out
  int workers = 1;             // batches decoded at once
};

// Several workers share the CPUs, each pinned to its own.
struct WorkerBackends {
  std::vector<std::unique_ptr<Backend>> backends;
  std::vector<WorkerPlace> places;
};

// Throws InvalidArgument for a choice that cannot be, and as make_backend() does.
WorkerBackends worker_backends(const WorkerChoice& choice);

// Source tokens decoded together, times the beam.
std::int64_t default_batch_tokens(std::string_view device);
// The same for parsing, whose outputs are several times as long as the sentences: on a CPU the
// keys and values of fewer sentences stay in its caches.
std::int64_t parse_batch_tokens(std::string_view device, std::int64_t beam);

}  // namespace yona
