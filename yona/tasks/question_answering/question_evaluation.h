// Validation of question answering, as the paper's table shows it: the error of each task in
// percent, their mean, and how many tasks fail.
#pragma once

#include <string>
#include <vector>

#include "yona/data/stories/story_examples.h"
#include "yona/models/memory_network.h"
#include "yona/train/task.h"

namespace yona {

inline constexpr double kFailedError = 5.0;  // percent; a task with more has failed

// error, and failed_tasks.
std::vector<std::string> question_figure_names();

class QuestionEvaluation : public Evaluation {
 public:
  // Of all parts of the examples together. `figures` are among question_figure_names().
  QuestionEvaluation(std::string name, std::shared_ptr<const StoryExamples> examples,
                     const MemoryNetwork& model, Backend& backend,
                     std::vector<std::string> figures);

  ValidationReport run(Learner& learner) override;

 private:
  // The logits of the questions of one part, and their answers.
  std::vector<std::vector<float>> logits_of_part(const Examples::Part& part,
                                                 std::vector<std::int32_t>& answers);

  std::string name_;
  std::shared_ptr<const StoryExamples> examples_;
  const MemoryNetwork& model_;
  Region region_;
  std::vector<std::string> figures_;
};

}  // namespace yona
