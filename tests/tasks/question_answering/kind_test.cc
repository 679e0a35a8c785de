#include "yona/tasks/question_answering/kind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TEST(QuestionKind, BeginsWithANewModel) {
  const TaskKind& kind = task_kind("question-answering");
  const RunConfig config = resolve_config("", {{"task", "question-answering", ""}});
  kind.check_start(config, "");
  EXPECT_THAT(message_of<InvalidArgument>([&] { kind.check_start(config, "folder"); }),
              ::testing::HasSubstr("--init folder: the task question-answering begins with a new"));
}

}  // namespace
}  // namespace yona::testing
