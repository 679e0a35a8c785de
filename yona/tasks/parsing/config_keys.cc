#include "yona/tasks/parsing/config_keys.h"

#include <array>

#include "yona/base/error.h"
#include "yona/models/seq2seq_keys.h"
#include "yona/tasks/file_checks.h"
#include "yona/tasks/metric_checks.h"
#include "yona/tasks/parsing/parsing_figures.h"
#include "yona/train/train_keys.h"

namespace yona {

namespace {

struct ParsingPreset {
  std::string_view name;
  std::int64_t d_model, d_ff, heads;
  double dropout;
};

// All have the paper's 4 layers; the width follows the size of the treebank.
constexpr std::array<ParsingPreset, 3> kParsingPresets{{
    {"tiny", 128, 512, 4, 0.3},     // thousands of trees
    {"small", 256, 1024, 4, 0.3},   // tens of thousands
    {"paper", 1024, 4096, 16, 0.1}  // §6.3
}};

std::vector<std::string> parsing_preset_names() {
  std::vector<std::string> names;
  names.reserve(kParsingPresets.size());
  for (const ParsingPreset& preset : kParsingPresets) {
    names.emplace_back(preset.name);
  }
  return names;
}

ConfigKeys<ParsingConfig> treebank_keys() {
  using Config = ParsingConfig;
  return {
      config_key("train", &Config::train, paths_codec(), OnResume::content,
                 "treebank files, Penn Treebank brackets; .gz, .xz and .zst are read as they are"),
      config_key("valid", &Config::valid, path_codec(), OnResume::free,
                 "a treebank file; its F1 decides stopping and which model is the best"),
      config_key("subwords", &Config::subwords, word_codec({"bpe", "unigram"}), OnResume::fixed,
                 "how sub-words of the words are trained"),
      integer("vocabulary_size", &Config::vocabulary_size, {3, 1 << 24, "auto"}, OnResume::fixed,
              "pieces of the words' vocabulary; auto is 3000"),
      choice("leaves", &Config::leaves, OnResume::fixed,
             "what the model writes for a word: XX (placeholders, the paper), or its "
             "part-of-speech tag"),
      integer("max_length", &Config::max_length, {2, 1 << 20}, OnResume::decides,
              "sub-words of a sentence and symbols of a tree, </s> included; longer ones are left "
              "out and counted"),
      number("sampling", &Config::sampling, {.least = 0.0, .most = 1.0}, OnResume::decides,
             "sub-words drawn at random: BPE-dropout or the alpha of unigram sampling; 0 is off"),
      number("substitution", &Config::substitution, kProbability, OnResume::decides,
             "probability that a constituent is replaced by another of the same label, drawn again "
             "each epoch; 0 is off")};
}

ConfigKey<RunConfig> parsing_preset_key() {
  ConfigKey<RunConfig> key = config_key(
      "preset", &RunConfig::preset, word_codec(parsing_preset_names()), OnResume::decides,
      "gives all model keys their defaults, before any other key is read");
  key.role = KeyRole::preset;
  key.set = [set = key.set](RunConfig& config, const ConfigNode& node, const ConfigSource& source) {
    set(config, node, source);
    config.model = parsing_preset(config.preset);
  };
  return key;
}

ConfigKeys<RunConfig> make_parsing_keys() {
  ConfigKeys<RunConfig> keys{parsing_preset_key()};
  append(keys, lift("model", &RunConfig::model, as_seq2seq(transformer_keys())));
  append(keys, lift("data", &RunConfig::parsing, treebank_keys()));
  append(keys, lift("train", &RunConfig::train,
                    train_keys({parsing_figure_names(),
                                "f1, complete, tags: EVALB's figures of greedy parses of the "
                                "validation set"})));
  return keys;
}

}  // namespace

const ConfigKeys<RunConfig>& parsing_keys() {
  static const ConfigKeys<RunConfig> keys = make_parsing_keys();
  return keys;
}

TransformerConfig parsing_preset(std::string_view name) {
  for (const ParsingPreset& preset : kParsingPresets) {
    if (preset.name == name) {
      TransformerConfig config;
      config.encoder_layers = config.decoder_layers = 4;
      config.d_model = preset.d_model;
      config.d_ff = preset.d_ff;
      config.heads = preset.heads;
      config.dropout = preset.dropout;
      config.tying = Tying::target;
      return config;
    }
  }
  fail("preset: '{}' is not one of parsing; use {}", name, fmt::join(parsing_preset_names(), ", "));
}

void set_parsing_defaults(RunConfig& config) {
  config.preset = "tiny";
  config.train.valid_metrics = {"f1"};
  config.train.best_by = "f1";
}

void check_parsing_config(const RunConfig& config) {
  const ParsingConfig& data = config.parsing;
  auto model = static_cast<const TransformerConfig&>(config.model);
  model.source_vocabulary = model.target_vocabulary = 1000;  // any size will do
  check_config(model);
  check(model.tying == Tying::target || model.tying == Tying::none,
        "model.tying: words and tree symbols have separate vocabularies; use target or none");
  check(!data.train.empty(),
        "data.train: there is nothing to train on; give --train trees.mrg, or data.train in "
        "--config");
  check(model.positions == PositionKind::none || data.max_length <= model.max_positions,
        "data.max_length: {} is more than model.max_positions {}", data.max_length,
        model.max_positions);
  check_metric_names(config.train, parsing_figure_names());
  check_best_by(config.train);
  check(config.train.patience == 0 || !data.valid.empty(),
        "train.patience: stopping early needs a validation set (--valid)");
  for (const std::filesystem::path& path : data.train) {
    check_data_file(path, "data.train");
  }
  check_data_file(data.valid, "data.valid");
}

}  // namespace yona
