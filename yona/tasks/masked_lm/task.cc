#include "yona/tasks/masked_lm/task.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/timing.h"
#include "yona/data/batches.h"
#include "yona/data/line_reader.h"
#include "yona/data/masked_texts.h"
#include "yona/tasks/encoder/encoder_keys.h"
#include "yona/tasks/masked_lm/masked_lm_objective.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

MaskedOptions masked_options(const RunConfig& config) {
  return {.max_length = longest_text(config),
          .share = config.texts.masked,
          .whole_words = config.texts.whole_words};
}

// The loss of held-out text, with masks that stay the same from validation to validation.
class MaskedLoss : public Evaluation {
 public:
  MaskedLoss(const MaskedTexts& examples, std::int64_t batch_tokens) {
    const BatchPlan plan = BatchPlan::in_order(examples, batch_tokens);
    for (std::int64_t index = 0; index < plan.batches(); ++index) {
      examples.fill(plan.batch(index), batch_tokens, {}, batches_.emplace_back());
    }
  }

  ValidationReport run(Learner& learner) override {
    const Clock::time_point start = Clock::now();
    const LossSums sums = learner.evaluate(std::span<const Batch>(batches_));
    ValidationReport report;
    report.loss = sums.nll / static_cast<double>(sums.rows);
    report.predictions = sums.rows;
    report.seconds = seconds_since(start);
    return report;
  }

 private:
  std::vector<Batch> batches_;
};

}  // namespace

MaskedLmTask::MaskedLmTask(RunConfig run_config, const RunPlace& run_place)
    : EncoderTask(std::move(run_config), run_place) {
  prepare({}, [&](WordCounts& words) {
    for (const std::filesystem::path& path : config().texts.train) {
      LineReader reader(path);
      for (LineReader::Line line; reader.next(line);) {
        words.add(repaired_utf8(line.text));
      }
    }
  });
}

std::unique_ptr<Objective> MaskedLmTask::make_objective() const {
  return std::make_unique<MaskedLmObjective>(info().config, config().texts.masked);
}

std::shared_ptr<const Examples> MaskedLmTask::open_training() {
  auto examples = std::make_shared<const MaskedTexts>(config().texts.train, tokenizer(),
                                                      masked_options(config()));
  place().reporter.message(MessageLevel::info, fmt::format("train: {} of up to {} tokens",
                                                           counted(examples->count(), "sequence"),
                                                           longest_text(config())));
  return examples;
}

std::vector<std::unique_ptr<Evaluation>> MaskedLmTask::open_evaluations(Objective& /*objective*/,
                                                                        const TrainConfig& train) {
  std::vector<std::unique_ptr<Evaluation>> evaluations;
  if (!config().texts.valid.empty()) {
    const MaskedTexts examples({config().texts.valid}, tokenizer(), masked_options(config()));
    evaluations.push_back(
        std::make_unique<MaskedLoss>(examples, std::max<std::int64_t>(train.batch_tokens, 1024)));
  }
  return evaluations;
}

}  // namespace yona
