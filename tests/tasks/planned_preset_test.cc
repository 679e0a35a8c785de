#include "yona/tasks/planned_preset.h"

#include <gtest/gtest.h>

#include "tests/tasks/config_sources.h"

namespace yona::testing {
namespace {

TEST(PlannedPreset, GivesTheShapeButForWhatWasGiven) {
  RunConfig config = resolve_config("", {set("task", "classification"), set("model.layers", "3")});
  apply_planned_preset(config, "bert-mini");
  EXPECT_EQ(config.preset, "bert-mini");
  EXPECT_EQ(config.bert.layers, 3);
  EXPECT_EQ(config.bert.d_model, 256);
}

}  // namespace
}  // namespace yona::testing
