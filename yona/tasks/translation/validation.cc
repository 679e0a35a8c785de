#include "yona/tasks/translation/validation.h"

#include "yona/base/timing.h"

namespace yona {

ValidationReport Validation::run(Learner& learner) {
  const Clock::time_point start = Clock::now();
  ValidationReport report = loss_.run(learner);
  if (scorer_ && learner.leads()) {
    report.figures = scorer_->run(*model_, *backend_);
  }
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace yona
