// A run's curves as TensorBoard's event files.
#pragma once

#include <cstdint>
#include <filesystem>

#include "yona/train/progress.h"
#include "yona/train/progress_meter.h"
#include "yona/train/tensorboard.h"

namespace yona {

// train/loss, train/perplexity, train/learning_rate, train/gradient_norm and
// train/tokens_per_second at every `log_every`-th update, averaged over that many updates
// (progress_meter.h); loss, perplexity, nats_per_byte and the figures of each validation under the
// name of its set.
class TensorBoardReporter : public Reporter {
 public:
  TensorBoardReporter(const std::filesystem::path& dir, std::int64_t resumed_from,
                      std::int64_t log_every)
      : board_(dir, resumed_from), log_every_(log_every), meter_(log_every) {}

  void updated(const UpdateReport& report) override;
  void validated(const ValidationReport& report) override;

 private:
  TensorBoardWriter board_;
  std::int64_t log_every_;
  ProgressMeter meter_;
};

}  // namespace yona
