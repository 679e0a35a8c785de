#include "yona/tasks/language_model/kind.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/tasks/file_checks.h"
#include "yona/tasks/language_model/recipe.h"
#include "yona/tasks/language_model/task.h"
#include "yona/train/time_plan.h"
#include "yona/train/train_keys.h"

namespace yona {

namespace {

constexpr OnResume kFree = OnResume::free;
constexpr OnResume kContent = OnResume::content;
constexpr OnResume kDecides = OnResume::decides;
constexpr OnResume kFixed = OnResume::fixed;

ConfigKeys<LmDataConfig> data_keys_of_text() {
  using Config = LmDataConfig;
  return {
      config_key("train", &Config::train, paths_codec(), kContent,
                 "text files to train on; .gz, .xz and .zst are read as they are"),
      config_key("valid", &Config::valid, path_codec(), kFree,
                 "a text file whose loss decides which model is the best"),
      choice("tokens", &Config::tokens, kFixed,
             "what text is cut into, when no tokeniser is given: byte-level BPE, "
             "SentencePiece, words between white space, characters"),
      integer("vocabulary_size", &Config::vocabulary_size, {3, 1 << 24, "auto"}, kFixed,
              "tokens of the vocabulary; auto is 8,192 of BPE, 8,000 of SentencePiece, all words "
              "and all characters"),
      config_key("tokenizer", &Config::tokenizer, path_codec(), kContent,
                 "a model folder whose tokeniser is used instead of a new one"),
      choice("documents", &Config::documents, kDecides,
             "what a document is: a whole file or a line"),
      choice("packing", &Config::packing, kDecides,
             "stream: documents one after another, cut into windows of the context's length; "
             "documents: each by itself, long ones in pieces"),
      integer("context", &Config::context, {1, 1 << 24, "auto"}, kDecides,
              "tokens of an example; auto is model.max_positions"),
      config_key("cache", &Config::cache, path_codec(), kFree,
                 "folder of the token cache; empty is inside the run's folder")};
}

ConfigKey<RunConfig> lm_preset_key() {
  ConfigKey<RunConfig> key =
      config_key("preset", &RunConfig::preset, word_codec(causal_lm_preset_names()), kDecides,
                 "gives all model keys their defaults, and batch, rate and updates, before any "
                 "other key is read");
  key.role = KeyRole::preset;
  key.set = [set = key.set](RunConfig& config, const ConfigNode& node, const ConfigSource& source) {
    set(config, node, source);
    apply_lm_preset(config);
  };
  return key;
}

const ConfigKeys<RunConfig>& language_model_keys() {
  static const ConfigKeys<RunConfig> all = [] {
    using Section = LanguageModelConfig;
    ConfigKeys<Section> section = lift("model", &Section::model, causal_lm_keys());
    append(section, lift("data", &Section::data, data_keys_of_text()));
    ConfigKeys<RunConfig> keys{lm_preset_key()};
    append(keys, lift("", &RunConfig::language_model, section));
    append(keys, lift("train", &RunConfig::train,
                      train_keys({{}, "there are none: loss and perplexity are always computed"})));
    return keys;
  }();
  return all;
}

void check_language_model_config(const RunConfig& config) {
  const LmDataConfig& data = config.language_model.data;
  CausalLmConfig model = config.language_model.model;
  model.vocabulary = std::max<std::int64_t>(model.vocabulary, 1000);  // not known yet
  check_config(model);
  check(data.context <= model.max_positions, "data.context: {} is more than model.max_positions {}",
        data.context, model.max_positions);
  check(config.train.rdrop == 0, "train.rdrop: language models have no R-Drop; leave it out");
  check(config.train.valid_metrics.empty(),
        "train.valid_metrics: language models have the loss and perplexity alone; leave it out");
  check(config.train.best_by == "loss", "train.best_by: language models have the loss alone");
  check(config.train.patience == 0 || !data.valid.empty(),
        "train.patience: stopping early needs a validation file (--valid)");
  for (const std::filesystem::path& path : data.train) {
    check_data_file(path, "data.train");
  }
  check_data_file(data.valid, "data.valid");
}

void check_language_model_start(const RunConfig& config, const std::filesystem::path& init) {
  const LmDataConfig& data = config.language_model.data;
  check(!data.train.empty(),
        "train: there is no training data; give --train, or data.train in the configuration");
  check(init.empty() || data.tokenizer.empty(),
        "train: --init {} has its own tokeniser; leave out data.tokenizer", init.string());
}

void make_lm_paths_absolute(RunConfig& config) {
  LmDataConfig& data = config.language_model.data;
  make_absolute(data.train);
  make_absolute(data.valid);
  make_absolute(data.tokenizer);
  make_absolute(data.cache);
}

}  // namespace

TaskKind language_model_kind() {
  return {.name = "language-model",
          .meaning = "predict the next token of text: GPT-2, Llama",
          .keys = language_model_keys,
          .set_defaults = set_lm_defaults,
          .apply_preset = apply_lm_preset,
          .check = check_language_model_config,
          .make_paths_absolute = make_lm_paths_absolute,
          .check_start = check_language_model_start,
          .file_flags = {{"--train", "data.train"}, {"--valid", "data.valid"}},
          .make = [](RunConfig config, const RunPlace& place) -> std::unique_ptr<Task> {
            return std::make_unique<LanguageModelTask>(std::move(config), place);
          },
          .planned = planned_length_keys(),
          .recipes = causal_lm_preset_names()};
}

}  // namespace yona
