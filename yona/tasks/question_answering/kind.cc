#include "yona/tasks/question_answering/kind.h"

#include <utility>

#include "yona/base/error.h"
#include "yona/tasks/question_answering/config_keys.h"
#include "yona/tasks/question_answering/task.h"
#include "yona/train/time_plan.h"

namespace yona {

TaskKind question_answering_kind() {
  return {.name = "question-answering",
          .meaning = "answer questions about short stories with one word, by a memory network",
          .keys = question_answering_keys,
          .set_defaults = set_question_defaults,
          .apply_preset = [](RunConfig& /*config*/) {},
          .check = check_question_config,
          .make_paths_absolute = make_question_paths_absolute,
          .check_start =
              [](const RunConfig& /*config*/, const std::filesystem::path& init) {
                check(init.empty(),
                      "train: --init {}: the task question-answering begins with a new model; "
                      "leave it out",
                      init.string());
              },
          .file_flags = {{"--train", "data.train"}, {"--valid", "data.valid"}},
          .make = [](RunConfig config, const RunPlace& place) -> std::unique_ptr<Task> {
            return std::make_unique<QuestionAnsweringTask>(std::move(config), place);
          },
          .planned = planned_length_keys()};
}

}  // namespace yona
