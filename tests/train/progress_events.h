// Events of an imagined run, for the tests of its reporters.
#pragma once

#include "yona/train/progress.h"

namespace yona::testing {

inline UpdateReport update(std::int64_t number, std::int64_t total = 1000) {
  UpdateReport report;
  report.update = number;
  report.updates = total;
  report.epoch = 1;
  report.loss = 3.0;
  report.nll = 2.0;
  report.predictions = 500;
  report.learning_rate = 0.00031;
  report.gradient_norm = 1.25;
  report.step_seconds = 0.25;
  report.seconds = 0.5 * static_cast<double>(number);
  return report;
}

inline RunPlan plan() {
  RunPlan result;
  result.model = "tiny";
  result.parameters = 2100000;
  result.input_vocabulary = result.output_vocabulary = 8000;
  result.examples = 29000;
  result.example_name = "sentence pairs";
  result.peak_memory_bytes = 1200000000;
  result.device_memory_bytes = 16000000000;
  result.updates = 1000;
  result.batch_tokens = 4096;
  result.threads = 2;
  result.output = "runs/a";
  return result;
}

}  // namespace yona::testing
