// Toy runs that are compared file by file, and stopped at an update.
#pragma once

#include <atomic>
#include <string>

#include "tests/harness/run_files.h"
#include "tests/train/toy_run.h"

namespace yona::testing {

class TrainerRun : public ToyRun {
 protected:
  TrainResult run(const RunConfig& config, const std::string& name, bool resume = false,
                  int threads = 0) {
    return train(config,
                 {.output = folder_ / name, .resume = resume, .init = {}, .threads = threads});
  }
};

// Asks for a stop after one update.
class StopAt : public Reporter {
 public:
  explicit StopAt(std::int64_t update) : update_(update) {}
  void updated(const UpdateReport& report) override { stop = stop || report.update == update_; }
  std::atomic<bool> stop = false;

 private:
  std::int64_t update_;
};

}  // namespace yona::testing
