// Runs the benchmarks, and says first what they were run on.

#include <benchmark/benchmark.h>

#include "yona/backend/cpu/features.h"
#include "yona/base/thread_pool.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
    return 2;
  }
  benchmark::AddCustomContext("cpus", std::to_string(yona::available_cpus()));
  benchmark::AddCustomContext("isa", std::string(yona::name_of(yona::current_isa())));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
