#include "yona/tasks/language_model/recipe.h"

#include <array>

#include "yona/base/error.h"

namespace yona {

namespace {

struct Recipe {
  std::string_view preset;
  TokenKind tokens;
  std::int64_t batch_tokens, accumulate, updates;
  double rate;
  std::int64_t warmup;
  double beta2;
  std::int64_t valid_every;
};

// The first two have nanoGPT's batches (config/train_shakespeare_char.py and its settings for a
// CPU): 64 windows of 256 tokens and 12 of 64. Their rates are higher than its 1e-3, and the first
// has fewer than its 5,000 updates; both reach lower losses. A step of the others has 8 windows of
// 1,024 tokens, or, for the last, 16 of 512; accumulate more if there is time.
constexpr std::array<Recipe, 7> kRecipes{{
    {"char", TokenKind::characters, 16384, 1, 1500, 1.5e-3, 100, 0.99, 250},
    {"char-small", TokenKind::characters, 768, 1, 2000, 4e-3, 100, 0.99, 250},
    {"gpt2-small", TokenKind::bpe, 8192, 1, 100000, 6e-4, 2000, 0.95, 1000},
    {"gpt2-medium", TokenKind::bpe, 8192, 1, 100000, 3e-4, 2000, 0.95, 1000},
    {"gpt2-large", TokenKind::bpe, 8192, 1, 100000, 2.5e-4, 2000, 0.95, 1000},
    {"gpt2-xl", TokenKind::bpe, 8192, 1, 100000, 2e-4, 2000, 0.95, 1000},
    {"llama-tiny", TokenKind::bpe, 8192, 1, 20000, 1e-3, 500, 0.95, 500},
}};

}  // namespace

void set_lm_defaults(RunConfig& config) {
  TrainConfig& train = config.train;
  config.preset = "gpt2-small";
  train.schedule.kind = ScheduleKind::cosine;
  train.beta1 = 0.9;
  train.epsilon = 1e-8;
  train.weight_decay = 0.1;
  train.clip_norm = 1.0;
  train.label_smoothing = 0.0;
}

void apply_lm_preset(RunConfig& config) {
  config.language_model.model = causal_lm_preset(config.preset);
  for (const Recipe& recipe : kRecipes) {
    if (recipe.preset != config.preset) {
      continue;
    }
    config.language_model.data.tokens = recipe.tokens;
    TrainConfig& train = config.train;
    train.batch_tokens = recipe.batch_tokens;
    train.accumulate = recipe.accumulate;
    train.updates = recipe.updates;
    train.schedule.rate = recipe.rate;
    train.schedule.final_rate = recipe.rate / 10;
    train.schedule.warmup = recipe.warmup;
    train.beta2 = recipe.beta2;
    train.valid_every = train.save_every = recipe.valid_every;
  }
}

}  // namespace yona
