#include "yona/train/train_keys.h"

namespace yona {

namespace {

constexpr OnResume kFree = OnResume::free;
constexpr OnResume kEnding = OnResume::ending;
constexpr OnResume kDecides = OnResume::decides;

ConfigKeys<ScheduleConfig> schedule_keys() {
  using Config = ScheduleConfig;
  return {choice("schedule", &Config::kind, kDecides,
                 "course of the learning rate after the warm-up; paper is its equation 3"),
          number("learning_rate", &Config::rate, kPositive, kDecides,
                 "the highest learning rate; with the paper's schedule, a factor on equation 3"),
          integer("warmup", &Config::warmup, {0}, kDecides, "updates of linear warm-up"),
          number("final_rate", &Config::final_rate, kNotNegative, kEnding,
                 "learning rate at the last update (cosine and linear)")};
}

ConfigKeys<TrainConfig> step_keys() {
  using Config = TrainConfig;
  ConfigKey<Config> time = config_key(
      "time", &Config::seconds, duration_codec(), kFree,
      "how long the run should take: where train.updates is not given, it follows from this and "
      "the speed that is measured; any is no limit");
  time.json_type = JsonType::text;
  return {std::move(time),
          integer("updates", &Config::updates, {1}, kEnding, "updates after which training ends"),
          integer("epochs", &Config::epochs, {0}, kFree,
                  "passes over the data after which training ends; 0 is no limit"),
          integer("batch_tokens", &Config::batch_tokens, {1, 1 << 30, "auto"}, kDecides,
                  "tokens of a micro-batch, of its inputs or outputs, whichever has more; auto is "
                  "the largest that fits in memory"),
          integer("accumulate", &Config::accumulate, {1, 1 << 20}, kDecides,
                  "micro-batches of an update; several ranks share them (docs/cluster.md), and "
                  "without a value each rank has one"),
          integer("seed", &Config::seed, {0}, kDecides, "seed of everything random"),
          config_key("precision", &Config::precision, enum_codec<Precision>({"f32", "bf16"}),
                     kDecides, "operands of matrix products; weights are kept in f32"),
          config_key("recompute", &Config::recompute, bool_codec(), kDecides,
                     "keep only the input of each layer, and run its forward pass again in the "
                     "backward pass: less memory, more time; the same results, on a GPU but for "
                     "rounding")};
}

ConfigKeys<TrainConfig> optimiser_keys() {
  using Config = TrainConfig;
  return {
      number("beta1", &Config::beta1, kProbability, kDecides, "β₁ of Adam"),
      number("beta2", &Config::beta2, kProbability, kDecides, "β₂ of Adam"),
      number("epsilon", &Config::epsilon, kPositive, kDecides, "ε of Adam"),
      number("weight_decay", &Config::weight_decay, kNotNegative, kDecides,
             "decoupled weight decay (AdamW); 0 is off"),
      choice("weight_decay_on", &Config::weight_decay_on, kDecides,
             "what decays: matrices (neither biases nor norms), or all parameters"),
      number("clip_norm", &Config::clip_norm, kNotNegative, kDecides,
             "largest norm of an update's gradient; 0 is no clipping"),
      config_key("exchange", &Config::exchange, enum_codec<Precision>({"f32", "bf16"}), kDecides,
                 "gradients that ranks exchange; with bf16 those of every micro-batch are "
                 "rounded before they are added, in f32"),
      number("label_smoothing", &Config::label_smoothing, kProbability, kDecides,
             "label smoothing, ε_ls in the paper"),
      number("rdrop", &Config::rdrop, kNotNegative, kDecides, "α of R-Drop; 0 is off"),
      number("ema", &Config::ema, kProbability, kDecides,
             "decay of the moving average of weights; 0 is off"),
      config_key("freeze", &Config::freeze, texts_codec(), kDecides,
                 "parameters that stay as they are, by name or pattern: encoder.*"),
      choice("on_nan", &Config::on_nan, kFree,
             "what to do when the loss is not finite: end, or skip the update")};
}

ConfigKeys<TrainConfig> watch_keys(const MetricNames& metrics) {
  using Config = TrainConfig;
  std::vector<std::string> deciding{"loss"};
  deciding.insert(deciding.end(), metrics.names.begin(), metrics.names.end());
  return {
      integer("save_every", &Config::save_every, {1}, kFree, "updates between checkpoints"),
      integer("valid_every", &Config::valid_every, {1}, kFree, "updates between validations"),
      integer("log_every", &Config::log_every, {1}, kFree, "updates between lines of progress"),
      integer("keep_last", &Config::keep_last, {1}, kFree, "latest checkpoints that are kept"),
      integer("keep_best", &Config::keep_best, {0}, kFree,
              "checkpoints with the best validation that are kept"),
      integer("patience", &Config::patience, {0}, kFree,
              "validations without a better train.best_by before stopping early; 0 is never"),
      config_key("valid_metrics", &Config::valid_metrics, texts_codec(), kFree, metrics.meaning),
      config_key("best_by", &Config::best_by, word_codec(deciding), kDecides,
                 "what makes a model the best, and stops early: loss on the first validation "
                 "set, or one of train.valid_metrics"),
      config_key("tensorboard", &Config::tensorboard, bool_codec(), kFree,
                 "write event files for TensorBoard"),
      config_key("measure", &Config::measure, bool_codec(), kDecides,
                 "on a GPU, time the algorithms of products once for each shape and keep the "
                 "fastest; false takes the library's first choice")};
}

}  // namespace

ConfigKeys<TrainConfig> train_keys(const MetricNames& metrics) {
  ConfigKeys<TrainConfig> keys = step_keys();
  append(keys, lift("", &TrainConfig::schedule, schedule_keys()));
  append(keys, optimiser_keys());
  append(keys, watch_keys(metrics));
  return keys;
}

}  // namespace yona
