#include "yona/cli/run_flags.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/tasks/task_kind.h"

namespace yona::cli {

namespace {

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
constexpr std::array<PlainFlag, 12> kPlainFlags{{
    {"--task", "NAME", "task", &RunFlags::task,
     "what the run learns: translation (the default), or another of `yona config --tasks`",
     kConfiguration},
    {"--src-lang", "CODE", "data.source_language", &RunFlags::source_language,
     "source language, kept with the model: en", kData},
    {"--tgt-lang", "CODE", "data.target_language", &RunFlags::target_language,
     "target language: de", kData},
    {"--vocab-size", "N", "data.vocabulary_size", &RunFlags::vocabulary_size,
     "pieces of the vocabulary that is trained; default: by preset and corpus", kData},
    {"--valid-metrics", "NAMES", "train.valid_metrics", &RunFlags::valid_metrics,
     "figures besides the loss; translation: bleu, chrf, ter of the source, translated", kData},
    {"--preset", "NAME", "preset", &RunFlags::preset,
     "the model's size; translation: tiny, iwslt, base or big (the paper's); default: by the "
     "amount "
     "of text",
     kConfiguration},
    {"--arch", "NAME", "model.arch", &RunFlags::arch,
     "translation: the model's architecture: transformer (the default), rnn, convs2s, bytenet or "
     "feed-forward; question-answering: memory-network",
     kConfiguration},
    {"--for", "TIME", "train.time", &RunFlags::time,
     "how long the run should take: 20m, 2h; the number of updates follows from the speed",
     kConfiguration},
    {"--updates", "N", "train.updates", &RunFlags::updates, "updates after which training ends",
     kConfiguration},
    {"--batch-tokens", "N|auto", "train.batch_tokens", &RunFlags::batch_tokens,
     "tokens of a micro-batch, of inputs or outputs, whichever has more; auto: the largest that "
     "fits",
     kConfiguration},
    {"--precision", "f32|bf16", "train.precision", &RunFlags::precision,
     "operands of matrix products", kConfiguration},
    {"--seed", "N", "train.seed", &RunFlags::seed, "seed of everything random", kConfiguration},
}};

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
  add_file_flags(app, flags.files);
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
  apply_file_flags(flags.files, config);
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
  for (const ConfigKey<RunConfig>& key : run_config_keys(config.task)) {
    if (key.name.starts_with("model.") && key.role == KeyRole::plain &&
        key.get(config) != key.get(wanted)) {
      hidden.push_back(key.name);
    }
  }
  return hidden;
}

}  // namespace yona::cli
