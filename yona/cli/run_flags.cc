#include "yona/cli/run_flags.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/train/config_keys.h"

namespace yona::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kData = "Data";
constexpr const char* kConfiguration = "Configuration";

struct PlainFlag {
  const char* flag;
  const char* value;
  const char* key;
  std::string RunFlags::*field;
  const char* description;
  const char* group;
};

// A plain flag is another way to write one key.
constexpr std::array<PlainFlag, 9> kPlainFlags{{
    {"--src-lang", "CODE", "data.source_language", &RunFlags::source_language,
     "source language, kept with the model: en", kData},
    {"--tgt-lang", "CODE", "data.target_language", &RunFlags::target_language,
     "target language: de", kData},
    {"--vocab-size", "N", "data.vocabulary_size", &RunFlags::vocabulary_size,
     "pieces of the vocabulary that is trained; default: by preset and corpus", kData},
    {"--valid-metrics", "NAMES", "train.valid_metrics", &RunFlags::valid_metrics,
     "bleu, chrf, ter: validations translate the source and score the text", kData},
    {"--preset", "NAME", "preset", &RunFlags::preset, "tiny, iwslt, base (the default) or big",
     kConfiguration},
    {"--updates", "N", "train.updates", &RunFlags::updates, "updates after which training ends",
     kConfiguration},
    {"--batch-tokens", "N|auto", "train.batch_tokens", &RunFlags::batch_tokens,
     "tokens of a micro-batch, the larger of source and target; auto: the largest that fits",
     kConfiguration},
    {"--precision", "f32|bf16", "train.precision", &RunFlags::precision,
     "operands of matrix products", kConfiguration},
    {"--seed", "N", "train.seed", &RunFlags::seed, "seed of everything random", kConfiguration},
}};

// "name=path", or a path alone.
std::pair<std::string, fs::path> named_path(const std::string& text) {
  const std::size_t equals = text.find('=');
  std::error_code error;
  if (equals == text.npos || equals == 0 || fs::exists(text, error)) {
    return {"", text};
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<ValidationSet> validation_sets(const RunFlags& flags) {
  check(flags.valid_source.size() == flags.valid_target.size(),
        "--valid-src is given {} times and --valid-tgt {} times; they go in pairs",
        flags.valid_source.size(), flags.valid_target.size());
  std::vector<ValidationSet> sets;
  sets.reserve(flags.valid_source.size());
  for (std::size_t i = 0; i < flags.valid_source.size(); ++i) {
    const auto [source_name, source] = named_path(flags.valid_source[i]);
    const auto [target_name, target] = named_path(flags.valid_target[i]);
    check(source_name == target_name || source_name.empty() || target_name.empty(),
          "--valid-src is called '{}' and --valid-tgt '{}'; pairs are given in the same order",
          source_name, target_name);
    const std::string fallback = i == 0 ? "valid" : fmt::format("valid-{}", i + 1);
    const std::string& given = source_name.empty() ? target_name : source_name;
    sets.push_back({given.empty() ? fallback : given, source, target});
  }
  return sets;
}

// Corpora from flags take the place of the configuration's.
void apply_data_flags(const RunFlags& flags, DataConfig& data) {
  const bool has_pairs = !flags.train_source.empty() || !flags.train_target.empty();
  check(!has_pairs || flags.train_tsv.empty(),
        "--train-tsv: is given together with --train-src or --train-tgt; use one or the other (or "
        "list corpora in --config)");
  if (has_pairs || !flags.train_tsv.empty()) {
    CorpusSpec corpus;
    corpus.source_files = path_list(flags.train_source);
    corpus.target_files = path_list(flags.train_target);
    corpus.tsv_files = path_list(flags.train_tsv);
    check(corpus.source_files.size() == corpus.target_files.size(),
          "--train-src names {} files and --train-tgt {}; they are paired one to one",
          corpus.source_files.size(), corpus.target_files.size());
    data.corpora = {std::move(corpus)};
  }
  if (!flags.valid_source.empty() || !flags.valid_target.empty()) {
    data.valid = validation_sets(flags);
  }
}

}  // namespace

ConfigAssignment parse_set(const std::string& text) {
  const std::size_t equals = text.find('=');
  check(equals != text.npos && equals > 0,
        "--set: expected key=value, such as train.updates=1000, got '{}'", text);
  std::string key = text.substr(0, equals);
  std::string origin = fmt::format("--set {}", key);
  return {std::move(key), text.substr(equals + 1), std::move(origin)};
}

void add_run_flags(CLI::App& app, RunFlags& flags) {
  add_list(app, flags.train_source,
           {"--train-src", "FILE…", "source sentences, one a line (.gz, .xz and .zst too)", kData});
  add_list(app, flags.train_target, {"--train-tgt", "FILE…", "their translations", kData});
  add_list(app, flags.train_tsv,
           {"--train-tsv", "FILE…", "tab-separated pairs, instead of the two above", kData});
  add_repeated(app, flags.valid_source,
               {"--valid-src", "[NAME=]FILE",
                "validation source; may repeat, and the first decides stopping", kData});
  add_repeated(app, flags.valid_target, {"--valid-tgt", "[NAME=]FILE", "validation target", kData});
  add_text(app, flags.config,
           {"--config", "FILE", "YAML with any keys; `yona config` prints one", kConfiguration});
  add_repeated(app, flags.sets,
               {"--set", "KEY=VALUE", "any key, over the file; may repeat", kConfiguration});
  for (const PlainFlag& flag : kPlainFlags) {
    add_text(app, flags.*flag.field, {flag.flag, flag.value, flag.description, flag.group});
  }
}

RunConfig resolve(const RunFlags& flags) {
  std::vector<ConfigAssignment> assignments;
  assignments.reserve(flags.sets.size() + kPlainFlags.size());
  for (const std::string& text : flags.sets) {
    assignments.push_back(parse_set(text));
  }
  for (const PlainFlag& flag : kPlainFlags) {
    if (const std::string& value = flags.*flag.field; !value.empty()) {
      assignments.push_back({flag.key, value, flag.flag});
    }
  }
  RunConfig config = resolve_config(flags.config, assignments);
  apply_data_flags(flags, config.data);
  return config;
}

std::vector<std::string> keys_hidden_from_preset(const RunFlags& flags, const RunConfig& config) {
  std::vector<std::string> hidden;
  if (flags.preset.empty() || flags.config.empty()) {
    return hidden;
  }
  RunFlags without_file = flags;
  without_file.config.clear();
  const RunConfig wanted = resolve(without_file);
  for (const ConfigKey<RunConfig>& key : run_config_keys()) {
    if (key.name.starts_with("model.") && key.role == KeyRole::plain &&
        key.get(config) != key.get(wanted)) {
      hidden.push_back(key.name);
    }
  }
  return hidden;
}

}  // namespace yona::cli
