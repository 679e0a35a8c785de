#include "yona/train/tensorboard_reporter.h"

namespace yona {

void TensorBoardReporter::updated(const UpdateReport& report) {
  if (report.update % log_every_ != 0) {
    return;
  }
  board_.scalar("train/loss", report.update, report.loss);
  board_.scalar("train/perplexity", report.update, report.perplexity());
  board_.scalar("train/learning_rate", report.update, report.learning_rate);
  board_.scalar("train/gradient_norm", report.update, report.gradient_norm);
  board_.scalar("train/tokens_per_second", report.update,
                static_cast<double>(report.target_tokens) / report.step_seconds);
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
