#include "yona/train/pending_update.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace yona {

UpdateReport PendingUpdate::finish(Clock::time_point before) const {
  LossSums sums;
  for (const PendingLoss& loss : losses) {
    sums += loss.read();
  }
  UpdateReport done = report;
  done.gradient_norm = std::sqrt(*static_cast<const double*>(squared_norm->wait()));
  done.loss = sums.loss / static_cast<double>(sums.rows);
  done.nll = sums.nll / static_cast<double>(sums.rows);
  done.target_tokens = sums.rows;
  done.skipped = !std::isfinite(done.loss) || !std::isfinite(done.gradient_norm);
  done.step_seconds = seconds_since(std::max(start, before));
  return done;
}

std::string PendingUpdate::describe_batches(const Examples& examples) const {
  return fmt::format("batch {} of epoch {} (it begins with line {} of {})", first_batch,
                     report.epoch, line_of(first_example) + 1,
                     examples.parts()[static_cast<std::size_t>(corpus_of(first_example))].name);
}

}  // namespace yona
