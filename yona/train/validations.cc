#include "yona/train/validations.h"

#include <array>
#include <string>

namespace yona {

namespace {

// What train.best_by names.
double deciding_figure(const ValidationReport& report, const std::string& name) {
  for (const ValidationFigure& figure : report.figures) {
    if (figure.name == name) {
      return figure.value;
    }
  }
  return report.loss;
}

}  // namespace

Validations::Validations(const RunParts& run, Objective& objective)
    : run_(run), evaluations_(run.start.task().open_evaluations(objective, run.start.train())) {
  if (run.options.samples > 0 && run.start.team().leads()) {
    samples_ = run.start.task().open_samples(objective);
  }
}

void Validations::run(Learner& learner, RunSaver& saver) {
  const WeightsInUse averaged(run_.parameters, run_.optimiser);
  for (std::size_t i = 0; i < evaluations_.size(); ++i) {
    ValidationReport report = evaluations_[i]->run(learner);
    report.update = run_.start.state().update;
    if (i == 0) {
      judge(report, saver);
    }
    run_.reporter.validated(report);
  }
  if (samples_) {
    SamplesReport report = samples_->run();
    report.update = run_.start.state().update;
    run_.reporter.sampled(report);
  }
}

void Validations::judge(ValidationReport& report, RunSaver& saver) {
  RunState& state = run_.start.state();
  std::array values{deciding_figure(report, state.best_by), report.loss};
  run_.start.team().follow_leader(values);
  const auto [score, loss] = values;
  report.is_best = state.is_best(score);
  state.scores[state.update] = score;
  state.bad_validations = report.is_best ? 0 : state.bad_validations + 1;
  if (report.is_best) {
    state.best_loss = loss;
    state.best_update = state.update;
    saver.write_model();
  }
}

bool Validations::is_patience_over() const {
  const std::int64_t patience = run_.start.train().patience;
  return patience > 0 && run_.start.state().bad_validations >= patience;
}

}  // namespace yona
