#include "yona/tasks/encoder/encoder_keys.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/score/class_figures.h"
#include "yona/tasks/file_checks.h"
#include "yona/tasks/metric_checks.h"
#include "yona/train/train_keys.h"

namespace yona {

namespace {

ConfigKeys<TextsConfig> file_keys(const std::string& train_meaning) {
  using Config = TextsConfig;
  return {
      config_key("train", &Config::train, paths_codec(), OnResume::content, train_meaning),
      config_key("valid", &Config::valid, path_codec(), OnResume::free,
                 "held-out texts of the same form; they decide which model is the best"),
      integer("vocabulary_size", &Config::vocabulary_size, {6, 1 << 24, "auto"}, OnResume::fixed,
              "pieces of a new WordPiece vocabulary; auto goes by the model's width"),
      config_key("lower_case", &Config::lower_case, bool_codec(), OnResume::fixed,
                 "whether a new vocabulary ignores case and accents"),
      integer("max_length", &Config::max_length, {3, 1 << 20, "auto"}, OnResume::decides,
              "tokens of a text, special ones included; auto is the model's positions")};
}

ConfigKeys<TextsConfig> label_keys() {
  using Config = TextsConfig;
  return {config_key("problem", &Config::problem, word_codec({"auto", "classes", "regression"}),
                     OnResume::fixed,
                     "what labels are: names of classes, or numbers (regression); auto is "
                     "regression where all are numbers and one is not whole"),
          number("hidden", &Config::hidden, kProbability, OnResume::decides,
                 "the share of tokens that training hides behind [MASK], drawn in every epoch; a "
                 "regulariser for small data")};
}

ConfigKeys<TextsConfig> mask_keys() {
  using Config = TextsConfig;
  return {number("masked", &Config::masked, {.least = 0.0, .most = 0.9, .open_below = true},
                 OnResume::decides,
                 "the share of tokens to predict; of these 80 % become [MASK], 10 % another token "
                 "and 10 % stay"),
          config_key("whole_words", &Config::whole_words, bool_codec(), OnResume::decides,
                     "choose all pieces of a word together")};
}

ConfigKey<RunConfig> encoder_preset_key() {
  ConfigKey<RunConfig> key =
      config_key("preset", &RunConfig::preset, word_codec(bert_preset_names()), OnResume::decides,
                 "gives all model keys their defaults, before any other key is read");
  key.role = KeyRole::preset;
  key.set = [set = key.set](RunConfig& config, const ConfigNode& node, const ConfigSource& source) {
    set(config, node, source);
    apply_encoder_preset(config);
  };
  return key;
}

ConfigKeys<RunConfig> encoder_keys(const std::string& train_meaning, ConfigKeys<TextsConfig> own,
                                   const MetricNames& metrics) {
  ConfigKeys<TextsConfig> data = file_keys(train_meaning);
  append(data, std::move(own));
  ConfigKeys<RunConfig> keys{encoder_preset_key()};
  append(keys, lift("model", &RunConfig::bert, bert_keys()));
  append(keys, lift("data", &RunConfig::texts, data));
  append(keys, lift("train", &RunConfig::train, train_keys(metrics)));
  return keys;
}

// masked-lm has no figures but the loss.
void check_figure_names(const RunConfig& config) {
  if (config.task == "classification") {
    check_metric_names(config.train, class_figure_names());
    return;
  }
  check(config.train.valid_metrics.empty(),
        "train.valid_metrics: the task {} has the loss alone, not '{}'", config.task,
        fmt::join(config.train.valid_metrics, ", "));
}

}  // namespace

const ConfigKeys<RunConfig>& classification_keys() {
  static const ConfigKeys<RunConfig> keys = encoder_keys(
      "tab-separated files whose first line is label, sentence and, for pairs of texts, second",
      label_keys(),
      {class_figure_names(),
       "accuracy, f1 (macro; of two classes the second's), matthews; "
       "spearman for a regression"});
  return keys;
}

const ConfigKeys<RunConfig>& masked_lm_keys() {
  static const ConfigKeys<RunConfig> keys =
      encoder_keys("plain text; a blank line ends a sequence", mask_keys(),
                   {{}, "there are none: the loss of the masked tokens decides"});
  return keys;
}

void set_encoder_defaults(RunConfig& config) {
  config.preset = "bert-base";
  TrainConfig& train = config.train;
  train.updates = 3000;
  train.schedule = {.kind = ScheduleKind::linear, .rate = 5e-5, .warmup = 300, .final_rate = 0.0};
  train.beta2 = 0.999;
  train.epsilon = 1e-8;
  train.weight_decay = 0.01;
  train.clip_norm = 1.0;
  train.label_smoothing = 0.0;
  train.valid_every = train.save_every = 500;
}

void apply_encoder_preset(RunConfig& config) { config.bert = bert_preset(config.preset); }

void check_encoder_config(const RunConfig& config) {
  BertConfig model = config.bert;
  model.vocabulary = std::max<std::int64_t>(model.vocabulary, 1000);  // not known yet
  check_config(model);
  check(config.texts.max_length <= config.bert.max_positions,
        "data.max_length: {} is more than model.max_positions {}", config.texts.max_length,
        config.bert.max_positions);
  check(!config.texts.train.empty(),
        "data.train: there is nothing to train on; give --train, or data.train in --config");
  for (const std::filesystem::path& path : config.texts.train) {
    check_data_file(path, "data.train");
  }
  check_data_file(config.texts.valid, "data.valid");
  check_figure_names(config);
  const TrainConfig& train = config.train;
  check_best_by(train);
  check(train.patience == 0 || !config.texts.valid.empty(),
        "train.patience: stopping early needs a validation file (--valid)");
}

void make_text_paths_absolute(RunConfig& config) {
  make_absolute(config.texts.train);
  make_absolute(config.texts.valid);
}

std::int64_t longest_text(const RunConfig& config) {
  return config.texts.max_length > 0 ? std::min(config.texts.max_length, config.bert.max_positions)
                                     : config.bert.max_positions;
}

}  // namespace yona
