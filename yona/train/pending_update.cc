#include "yona/train/pending_update.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace yona {

UpdateReport PendingUpdate::finish(Clock::time_point before, const Team& team,
                                   std::int64_t micro_batches) const {
  constexpr std::size_t kValues = 3;
  std::vector<double> own;
  for (const PendingLoss& loss : losses) {
    const LossSums read = loss.read();
    own.insert(own.end(), {read.loss, read.nll, static_cast<double>(read.rows)});
  }
  const std::vector<double> all = team.in_order(own, kValues, micro_batches);
  LossSums sums;
  for (std::size_t i = 0; i < all.size(); i += kValues) {
    sums += {all[i], all[i + 1], static_cast<std::int64_t>(all[i + 2])};
  }
  UpdateReport done = report;
  done.gradient_norm = std::sqrt(*static_cast<const double*>(squared_norm->wait()));
  done.loss = sums.loss / static_cast<double>(sums.rows);
  done.nll = sums.nll / static_cast<double>(sums.rows);
  done.predictions = sums.rows;
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
