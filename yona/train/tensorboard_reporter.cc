#include "yona/train/tensorboard_reporter.h"

namespace yona {

void TensorBoardReporter::updated(const UpdateReport& report) {
  meter_.add(report);
  if (report.update % log_every_ != 0) {
    return;
  }
  const ProgressSummary summary = meter_.summary();
  board_.scalar("train/loss", report.update, summary.loss);
  board_.scalar("train/perplexity", report.update, summary.perplexity());
  board_.scalar("train/learning_rate", report.update, report.learning_rate);
  board_.scalar("train/gradient_norm", report.update, summary.gradient_norm);
  board_.scalar("train/tokens_per_second", report.update, summary.tokens_per_second);
}

void TensorBoardReporter::validated(const ValidationReport& report) {
  board_.scalar(report.set + "/loss", report.update, report.loss);
  board_.scalar(report.set + "/perplexity", report.update, report.perplexity());
  board_.scalar(report.set + "/nats_per_byte", report.update, report.nats_per_byte);
  for (const ValidationFigure& figure : report.figures) {
    board_.scalar(report.set + "/" + figure.name, report.update, figure.value);
  }
  board_.flush();
}

}  // namespace yona
