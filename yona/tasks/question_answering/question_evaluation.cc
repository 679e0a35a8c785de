#include "yona/tasks/question_answering/question_evaluation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "yona/base/timing.h"
#include "yona/tasks/classification/class_report.h"
#include "yona/tasks/question_answering/question_objective.h"
#include "yona/tensor/ops/linear.h"

namespace yona {

namespace {

constexpr std::uint64_t kQuestionsAtOnce = 64;

}  // namespace

std::vector<std::string> question_figure_names() { return {"error", "failed_tasks"}; }

QuestionEvaluation::QuestionEvaluation(std::string name,
                                       std::shared_ptr<const StoryExamples> examples,
                                       const MemoryNetwork& model, Backend& backend,
                                       std::vector<std::string> figures)
    : name_(std::move(name)),
      examples_(std::move(examples)),
      model_(model),
      region_(backend),
      figures_(std::move(figures)) {}

std::vector<std::vector<float>> QuestionEvaluation::logits_of_part(
    const Examples::Part& part, std::vector<std::int32_t>& answers) {
  std::vector<std::vector<float>> results;
  Batch batch;
  for (std::uint64_t begin = 0; begin < part.count; begin += kQuestionsAtOnce) {
    std::vector<std::uint32_t> some(std::min(kQuestionsAtOnce, part.count - begin));
    std::iota(some.begin(), some.end(), static_cast<std::uint32_t>(part.first + begin));
    examples_->fill(some, 0, {}, batch);
    Context c{.region = region_};
    const Tensor states = model_.states(model_.input(stories_of(batch), region_), c);
    const Tensor logits = linear(states, model_.output_layer().weight, {}, {}, c);  // [N, V]
    const auto values = logits.to_vector<float>();
    for (std::size_t i = 0; i < some.size(); ++i) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(i) * logits.cols();
      results.emplace_back(from, from + logits.cols());
    }
    const std::vector<std::int32_t>& ids = batch.sides[kStoryAnswer].ids;
    answers.insert(answers.end(), ids.begin(), ids.end());
  }
  return results;
}

ValidationReport QuestionEvaluation::run(Learner& learner) {
  if (!learner.leads()) {
    return {};
  }
  const Clock::time_point start = Clock::now();
  ValidationReport report;
  double errors = 0;
  double failed = 0;
  for (const Examples::Part& part : examples_->parts()) {
    std::vector<std::int32_t> answers;
    const auto logits = logits_of_part(part, answers);
    const ValidationReport of_part = class_report(logits, answers, {"accuracy"});
    const double error = 100.0 - of_part.figures.front().value;
    errors += error;
    failed += error > kFailedError ? 1 : 0;
    report.loss += of_part.loss;
  }
  const auto parts = static_cast<double>(examples_->parts().size());
  report.loss /= parts;
  for (const std::string& figure : figures_) {
    report.figures.push_back({figure, figure == "error" ? errors / parts : failed});
  }
  report.set = name_;
  report.predictions = static_cast<std::int64_t>(examples_->count());
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace yona
