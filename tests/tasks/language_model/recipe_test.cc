#include "yona/tasks/language_model/recipe.h"

#include <gtest/gtest.h>

#include "yona/tasks/task_kind.h"

namespace yona {
namespace {

RunConfig resolved(const std::string& preset, const std::vector<ConfigAssignment>& more = {}) {
  std::vector<ConfigAssignment> settings{{"task", "language-model", ""}, {"preset", preset, ""}};
  settings.insert(settings.end(), more.begin(), more.end());
  return resolve_config("", settings);
}

// karpathy/nanoGPT, config/train_shakespeare_char.py and the settings of its README for a CPU.
TEST(LmRecipe, CharacterPresetsHaveTheSizesOfNanoGpt) {
  const RunConfig gpu = resolved("char");
  EXPECT_EQ(gpu.language_model.model.layers, 6);
  EXPECT_EQ(gpu.language_model.model.d_model, 384);
  EXPECT_EQ(gpu.language_model.model.heads, 6);
  EXPECT_EQ(gpu.language_model.model.max_positions, 256);
  EXPECT_EQ(gpu.train.batch_tokens, 64 * 256);
  EXPECT_EQ(gpu.train.updates, 1500);
  EXPECT_EQ(gpu.train.beta2, 0.99);
  EXPECT_EQ(gpu.language_model.data.tokens, TokenKind::characters);
  const RunConfig cpu = resolved("char-small");
  EXPECT_EQ(cpu.language_model.model.layers, 4);
  EXPECT_EQ(cpu.language_model.model.d_model, 128);
  EXPECT_EQ(cpu.language_model.model.max_positions, 64);
  EXPECT_EQ(cpu.train.batch_tokens, 12 * 64);
  EXPECT_EQ(cpu.train.updates, 2000);
}

TEST(LmRecipe, EveryPresetHasARateThatFallsToATenth) {
  for (const std::string& preset : causal_lm_preset_names()) {
    const RunConfig config = resolved(preset);
    EXPECT_EQ(config.train.schedule.kind, ScheduleKind::cosine) << preset;
    EXPECT_GT(config.train.schedule.rate, 0.0) << preset;
    EXPECT_DOUBLE_EQ(config.train.schedule.final_rate, 0.1 * config.train.schedule.rate) << preset;
    EXPECT_GE(config.train.batch_tokens, config.language_model.model.max_positions) << preset;
    EXPECT_EQ(config.train.clip_norm, 1.0) << preset;
  }
}

TEST(LmRecipe, SettingsStandAboveThePreset) {
  const RunConfig config =
      resolved("char", {{"train.updates", "7", ""}, {"model.layers", "2", ""}});
  EXPECT_EQ(config.train.updates, 7);
  EXPECT_EQ(config.language_model.model.layers, 2);
  EXPECT_EQ(config.language_model.model.d_model, 384);
}

}  // namespace
}  // namespace yona
