// Several sources of configuration made into one, and that one written down again.

#include "yona/train/run_config.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "yona/base/error.h"
#include "yona/text/subword.h"
#include "yona/train/config_keys.h"
#include "yona/train/config_section.h"
#include "yona/train/config_yaml.h"
#include "yona/train/schedule.h"
#include "yona/train/translation_scorer.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

// One value on its way into the configuration; owns what came from the command line.
struct Pending {
  const ConfigKey<RunConfig>* key;
  ConfigNode node;
  ConfigSource source;
};

constexpr std::size_t kLargestFile = std::size_t{1} << 20U;  // whatever the path names: /dev/zero

std::string read_configuration(const fs::path& path) {
  std::error_code error;
  check(fs::exists(path, error), "{}: no such file; --config names a YAML file", path.string());
  check(!fs::is_directory(path, error), "{}: is a folder; --config names a YAML file",
        path.string());
  std::ifstream file(path, std::ios::binary);
  check<IoError>(file.is_open(), "{}: cannot be read", path.string());
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  check(text.size() <= kLargestFile, "{}: is larger than {} bytes; --config names a YAML file",
        path.string(), kLargestFile);
  return text;
}

void append_file(const fs::path& path, std::vector<Pending>& pending) {
  const std::string name = path.string();
  const ConfigNode root = parse_yaml(read_configuration(path), name);
  check(root.kind != ConfigNode::Kind::null, "{}: is empty; `yona config` prints one to start from",
        name);
  const ConfigSource source{"", name, path.parent_path()};
  const auto& keys = run_config_keys();
  const auto begin = pending.size();
  for (const ConfigEntry& entry : find_entries(root, names_of(keys), source)) {
    pending.push_back({&keys[entry.key], *entry.node, entry.source});
  }
  std::stable_sort(pending.begin() + static_cast<std::ptrdiff_t>(begin), pending.end(),
                   [](const Pending& a, const Pending& b) { return a.key->role < b.key->role; });
}

// Text from the command line: lists are separated by commas, or written as YAML in brackets.
ConfigNode node_of(const ConfigKey<RunConfig>& key, const ConfigAssignment& assignment) {
  const std::string& text = assignment.value;
  if (key.is_list == ListKey::no) {
    return ConfigNode::scalar(text);
  }
  if (text.starts_with('[')) {
    return parse_yaml(text, assignment.origin);
  }
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    parts.push_back(part);
  }
  return ConfigNode::list(parts);
}

void append_assignment(const ConfigAssignment& assignment, std::vector<Pending>& pending) {
  const auto& keys = run_config_keys();
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const auto& candidate) {
    return candidate.name == assignment.key;
  });
  check(key != keys.end(), "--set: {}", unknown_key(assignment.key, names_of(keys)));
  pending.push_back({&*key, node_of(*key, assignment), {assignment.origin, "", ""}});
}

void check_exists(const fs::path& path, std::string_view key) {
  std::error_code error;
  check(path.empty() || fs::exists(path, error), "{}: {}: no such file", key, path.string());
  check(path.empty() || !fs::is_directory(path, error), "{}: {}: is a folder, not a file", key,
        path.string());
  check(path.empty() || fs::is_regular_file(path, error),
        "{}: {}: is a pipe or a device, and is read more than once; write its content to a file "
        "first",
        key, path.string());
}

void check_data(const DataConfig& data) {
  check(!data.corpora.empty(),
        "data.train: there is nothing to train on; give --train-src and --train-tgt, or corpora in "
        "--config");
  std::set<std::string> names;
  for (const CorpusSpec& corpus : data.corpora) {
    check_corpus(corpus);
    check(names.insert(corpus.name).second, "data.train: two corpora are called '{}'", corpus.name);
    for (const auto* files : {&corpus.source_files, &corpus.target_files, &corpus.tsv_files}) {
      for (const fs::path& path : *files) {
        check_exists(path, "data.train");
      }
    }
  }
  names.clear();
  for (const ValidationSet& set : data.valid) {
    check(!set.source.empty() && !set.target.empty(),
          "data.valid: set '{}' needs both a source and a target file", set.name);
    for (const auto* tags : {&set.source_tags, &set.target_tags}) {
      for (const std::string& tag : tags->value_or(std::vector<std::string>())) {
        check_tag(tag);
      }
    }
    check(names.insert(set.name).second, "data.valid: two sets are called '{}'", set.name);
    check_exists(set.source, "data.valid");
    check_exists(set.target, "data.valid");
  }
  check(data.target_model.empty() || !data.source_model.empty(),
        "data.target_model: is given without data.source_model");
  check_exists(data.source_model, "data.source_model");
  check_exists(data.target_model, "data.target_model");
}

void check_model(const RunConfig& config) {
  TransformerConfig model = config.model;
  if (model.source_vocabulary == 0) {  // not known yet: any size will do
    model.source_vocabulary = model.target_vocabulary = 1000;
  }
  check_config(model);
  check(model.positions == PositionKind::none || config.data.max_length <= model.max_positions,
        "data.max_length: {} is more than model.max_positions {}", config.data.max_length,
        model.max_positions);
}

void check_train(const TrainConfig& train, const DataConfig& data) {
  const ScheduleConfig& schedule = train.schedule;
  check(!has_end(schedule) || schedule.warmup < train.updates,
        "train.warmup: {} updates leave nothing of train.updates {}", schedule.warmup,
        train.updates);
  check(!has_end(schedule) || schedule.final_rate <= schedule.rate,
        "train.final_rate: {} is above train.learning_rate {}", schedule.final_rate, schedule.rate);
  check(schedule.kind != ScheduleKind::paper || schedule.warmup > 0,
        "train.warmup: the paper's schedule needs at least 1");
  for (const std::string& name : train.valid_metrics) {
    validation_metric(name, data.target_language);
  }
  check(train.valid_metrics.empty() || !data.valid.empty(),
        "train.valid_metrics: there is no validation set (--valid-src and --valid-tgt)");
  const auto& metrics = train.valid_metrics;
  check(train.best_by == "loss" ||
            std::find(metrics.begin(), metrics.end(), train.best_by) != metrics.end(),
        "train.best_by: {} is not among train.valid_metrics; add it there", train.best_by);
  check(train.patience == 0 || !data.valid.empty(),
        "train.patience: stopping early needs a validation set (--valid-src and --valid-tgt)");
}

}  // namespace

RunConfig resolve_config(const fs::path& file, const std::vector<ConfigAssignment>& assignments) {
  std::vector<Pending> pending;
  if (!file.empty()) {
    append_file(file, pending);
  }
  for (const ConfigAssignment& assignment : assignments) {
    append_assignment(assignment, pending);
  }
  RunConfig config;
  config.model = preset(config.preset);
  for (const KeyRole role : {KeyRole::preset, KeyRole::plain}) {
    for (const Pending& value : pending) {
      if ((value.key->role == KeyRole::preset) == (role == KeyRole::preset)) {
        value.key->set(config, value.node, value.source);
      }
    }
  }
  return config;
}

void check_run_config(const RunConfig& config) {
  check_model(config);
  check_train(config.train, config.data);
  check_data(config.data);
}

std::vector<std::string> config_warnings(const RunConfig& config) {
  std::vector<std::string> warnings;
  const ScheduleConfig& schedule = config.train.schedule;
  if (schedule.kind == ScheduleKind::paper && schedule.rate < 0.01) {
    warnings.push_back(fmt::format(
        "train.learning_rate {} is a factor on the paper's schedule, where 1 is usual; for a "
        "highest rate of {} set train.schedule to inverse_sqrt, cosine, linear or constant",
        schedule.rate, schedule.rate));
  }
  return warnings;
}

std::string to_yaml(const RunConfig& config, YamlStyle style) {
  RunConfig unchanged;
  unchanged.model = preset(config.preset);
  ConfigNode root = ConfigNode::map();
  for (const ConfigKey<RunConfig>& key : run_config_keys()) {
    if (key.role == KeyRole::shorthand) {
      continue;
    }
    ConfigMember member{key.name, key.get(config)};
    if (style == YamlStyle::guide) {
      const bool repeats_preset =
          key.name.starts_with("model.") && member.value == key.get(unchanged);
      member.disabled = repeats_preset;
      member.comment = key.meaning + " (" + key.expected + ")";
    }
    insert_dotted(root, key.name, std::move(member));
  }
  return to_yaml(root);
}

RunConfig with_absolute_paths(RunConfig config) {
  const auto make_absolute = [](fs::path& path) {
    if (!path.empty()) {
      path = fs::absolute(path).lexically_normal();
    }
  };
  for (CorpusSpec& corpus : config.data.corpora) {
    for (auto* files : {&corpus.source_files, &corpus.target_files, &corpus.tsv_files}) {
      std::for_each(files->begin(), files->end(), make_absolute);
    }
  }
  for (ValidationSet& set : config.data.valid) {
    make_absolute(set.source);
    make_absolute(set.target);
  }
  make_absolute(config.data.source_model);
  make_absolute(config.data.target_model);
  make_absolute(config.data.cache);
  return config;
}

}  // namespace yona
