#include "yona/train/run_record.h"

#include <algorithm>
#include <system_error>
#include <tuple>

#include "yona/backend/cpu/features.h"
#include "yona/backend/cpu/onednn_version.h"
#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/base/input_file.h"
#include "yona/data/cache_key.h"
#include "yona/train/config_keys.h"
#include "yona/train/schedule.h"

namespace yona {

namespace {

Json json_of(const ConfigNode& node) {
  if (node.kind != ConfigNode::Kind::list) {
    return node.text;
  }
  Json list = Json::array();
  for (const ConfigNode& item : node.items) {
    list.push_back(json_of(item));
  }
  return list;
}

// As a person would write it: 0.1, [a, b], 'nothing'.
std::string shown(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>().empty() ? "''" : value.get<std::string>();
  }
  if (!value.is_array()) {
    return value.dump();
  }
  std::vector<std::string> parts;
  parts.reserve(value.size());
  for (const Json& part : value) {
    parts.push_back(shown(part));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string change(std::string_view name, const Json& then, const Json& now) {
  return fmt::format("{}: {} → {}", name, shown(then), shown(now));
}

template <class Owner>
bool is_recorded(const ConfigKey<Owner>& key) {
  return key.role != KeyRole::shorthand &&
         (key.on_resume == OnResume::decides || key.on_resume == OnResume::fixed);
}

template <class Owner>
Json values_of(const Owner& owner, const std::vector<ConfigKey<Owner>>& keys) {
  Json values = Json::object();
  for (const ConfigKey<Owner>& key : keys) {
    if (is_recorded(key)) {
      values[key.name] = json_of(key.get(owner));
    }
  }
  return values;
}

// Settings may have no effect, then and now: where nothing decays, what would does not matter.
bool matters(const std::string& key, const Json& then, const Json& now) {
  const auto decays = [](const Json& settings) {
    return settings.value("train.weight_decay", "0") != "0";
  };
  return key != "train.weight_decay_on" || decays(then) || decays(now);
}

template <class Owner>
Differences values_that_differ(const Json& then, const Json& now, const std::string& prefix,
                               const std::vector<ConfigKey<Owner>>& keys) {
  const Owner unset{};
  Differences differences;
  for (const ConfigKey<Owner>& key : keys) {
    const bool is_ending = key.on_resume == OnResume::ending;
    if (!now.contains(key.name) || (is_ending && !then.contains(key.name))) {
      continue;  // another schedule, which is named itself
    }
    const Json before = then.value(key.name, json_of(key.get(unset)));
    if (before != now.at(key.name) && matters(key.name, then, now)) {
      auto& list = key.on_resume == OnResume::fixed ? differences.fixed : differences.changes;
      list.push_back(change(prefix + key.name, before, now.at(key.name)));
    }
  }
  return differences;
}

std::vector<std::filesystem::path> files_of(const CorpusSpec& corpus) {
  std::vector<std::filesystem::path> files;
  for (const auto* list : {&corpus.source_files, &corpus.target_files, &corpus.tsv_files}) {
    files.insert(files.end(), list->begin(), list->end());
  }
  return files;
}

Json recorded_files(const CorpusSpec& corpus) {
  Json files = Json::array();
  for (const std::filesystem::path& path : files_of(corpus)) {
    const FileContent content = file_content(path);
    files.push_back({{"file", path.filename().string()},
                     {"bytes", content.bytes},
                     {"crc64", fmt::format("{:016x}", content.checksum)}});
  }
  return files;
}

// "corpus.en: changed", or which file is in its place.
void append_changed_files(const Json& then, const Json& now, const CorpusSpec& corpus,
                          std::vector<std::string>& changes) {
  const auto files = files_of(corpus);
  if (then.size() != now.size()) {
    changes.push_back(fmt::format("corpus {}: {} → {}", corpus.name, counted(then.size(), "file"),
                                  counted(now.size(), "file")));
    return;
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (then[i].at("bytes") == now[i].at("bytes") && then[i].at("crc64") == now[i].at("crc64")) {
      continue;
    }
    const bool same_name = then[i].at("file") == now[i].at("file");
    changes.push_back(same_name ? fmt::format("{}: changed", files[i].string())
                                : change(fmt::format("corpus {}", corpus.name), then[i].at("file"),
                                         files[i].string()));
  }
}

std::string of_device(const Json& platform) {
  return platform.value("device", "cpu") == "cuda" ? "a GPU" : "the CPU";
}

// Is this part of a model's description a setting too, or one that may change?
bool is_setting(const std::string& name) {
  const auto& keys = run_config_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const ConfigKey<RunConfig>& key) {
    return key.name == "model." + name || key.name == "data." + name;
  });
}

Differences parts_that_differ(const Json& then, const Json& now) {
  Differences differences;
  for (const auto& [name, value] : then.items()) {
    if (now.contains(name) && now.at(name) != value) {
      differences.fixed.push_back(change("model." + name, value, now.at(name)));
    }
  }
  return differences;
}

// The same for every way to name a folder.
std::string real_path(const std::string& name) {
  std::error_code error;
  const std::filesystem::path found = std::filesystem::weakly_canonical(name, error);
  const std::filesystem::path path = error ? std::filesystem::path(name) : found;
  return (path.has_filename() ? path : path.parent_path()).string();
}

Differences corpora_that_differ(const Json& then, const Json& now,
                                const std::vector<CorpusSpec>& corpora) {
  Differences differences;
  if (then.size() != now.size()) {
    differences.changes.push_back(
        fmt::format("data.train: {} → {} corpora", then.size(), now.size()));
    return differences;
  }
  for (std::size_t i = 0; i < now.size(); ++i) {
    differences +=
        values_that_differ(then[i], now[i], fmt::format("data.train[{}].", i), corpus_keys());
    append_changed_files(then[i].at("files"), now[i].at("files"), corpora[i], differences.changes);
  }
  return differences;
}

}  // namespace

Differences& Differences::operator+=(const Differences& other) {
  fixed.insert(fixed.end(), other.fixed.begin(), other.fixed.end());
  changes.insert(changes.end(), other.changes.begin(), other.changes.end());
  return *this;
}

Json recorded_settings(const RunConfig& config) {
  Json settings = values_of(config, run_config_keys());
  if (has_end(config.train.schedule)) {
    for (const ConfigKey<RunConfig>& key : run_config_keys()) {
      if (key.on_resume == OnResume::ending) {
        settings[key.name] = json_of(key.get(config));
      }
    }
  }
  return settings;
}

Json recorded_corpora(const std::vector<CorpusSpec>& corpora) {
  Json recorded = Json::array();
  for (const CorpusSpec& corpus : corpora) {
    Json entry = values_of(corpus, corpus_keys());
    entry["files"] = recorded_files(corpus);
    recorded.push_back(std::move(entry));
  }
  return recorded;
}

void add_digests(Json& corpora, const Dataset& dataset) {
  for (std::size_t i = 0; i < dataset.parts().size(); ++i) {
    corpora[i]["pairs"] = dataset.parts()[i].pairs;
    corpora[i]["digest"] = dataset.parts()[i].cache.digest();
  }
}

Json recorded_model(const ModelInfo& info) {
  const Json description = to_json(describe(info));
  Json model = Json::object();
  for (const auto& [name, value] : description.items()) {
    if (!is_setting(name)) {
      model[name] = value;
    }
  }
  if (!info.family.empty()) {
    model.erase("decoder_start_id");  // mBART's is the target language, which is a setting
  }
  return model;
}

std::string recorded_subwords(const PairEncoder& encoder) {
  std::uint64_t sum = checksum(encoder.identity);
  for (const SideEncoder* side : {&encoder.source, &encoder.target}) {
    sum = checksum(side->subword.model(), sum);
    sum = checksum(side->subword.vocabulary().to_json(), sum);
  }
  return fmt::format("{:016x}", sum);
}

Json recorded_platform(const Backend& backend) {
  Json platform{{"version", YONA_VERSION}};
  if (backend.device() == Device::cuda) {
    platform["device"] = "cuda";
  } else {
    platform["device"] = "cpu";
    platform["instruction_set"] = name_of(current_isa());
    platform["onednn"] = onednn_version();
  }
  return platform;
}

std::int64_t recorded_batch_tokens(const Json& record) {
  RunConfig config;
  const ConfigSource source{"train.batch_tokens", "", ""};
  for (const ConfigKey<RunConfig>& key : run_config_keys()) {
    if (key.name == source.label && record.contains("settings")) {
      const std::string text = record.at("settings").value(key.name, "auto");
      key.set(config, ConfigNode::scalar(text), source);
      return config.train.batch_tokens;
    }
  }
  return 0;
}

Differences records_that_differ(const Json& then, const Json& now,
                                const std::vector<CorpusSpec>& corpora) {
  try {
    Differences differences =
        values_that_differ(then.at("settings"), now.at("settings"), "", run_config_keys());
    differences += corpora_that_differ(then.at("corpora"), now.at("corpora"), corpora);
    differences += parts_that_differ(then.at("model"), now.at("model"));
    if (then.at("subwords") != now.at("subwords")) {
      differences.fixed.emplace_back("the sub-words in the run's folder: changed");
    }
    if (real_path(then.at("init")) != real_path(now.at("init"))) {
      differences.changes.push_back(change("--init", then.at("init"), now.at("init")));
    }
    return differences;
  } catch (const Json::exception& error) {
    fail<FormatError>("state.json: not the record of a run: {}", error.what());
  }
}

Differences given_subwords_that_differ(const DataConfig& data, const PairEncoder& encoder) {
  Differences differences;
  for (const auto& [name, path, side] :
       {std::tuple("data.source_model", &data.source_model, &encoder.source),
        std::tuple("data.target_model", &data.target_model, &encoder.target)}) {
    const std::string& own = side->subword.model();
    if (!path->empty() && !own.empty() && read_file(*path) != own) {
      differences.changes.push_back(fmt::format(
          "{}: {} holds other sub-words than the run's, which stay", name, path->string()));
    }
  }
  return differences;
}

Differences pairs_that_differ(const Json& then, const Json& now,
                              const std::vector<CorpusSpec>& corpora) {
  Differences differences;
  for (std::size_t i = 0; i < std::min(then.size(), now.size()); ++i) {
    if (then[i].contains("digest") && then[i].at("digest") != now[i].at("digest")) {
      differences.changes.push_back(fmt::format("corpus {}: other token ids ({} → {} pairs)",
                                                corpora[i].name, then[i].at("pairs").dump(),
                                                now[i].at("pairs").dump()));
    }
  }
  return differences;
}

std::vector<std::string> platform_warnings(const Json& then, const Json& now) {
  constexpr const char* kEffect = "results may differ in their last bits";
  std::vector<std::string> warnings;
  if (then.value("device", "") != now.value("device", "")) {
    warnings.push_back(fmt::format("the run was on {} before and is on {} now: {}", of_device(then),
                                   of_device(now), kEffect));
  }
  for (const auto& [key, name] :
       {std::pair("version", "version of yona"), std::pair("instruction_set", "instruction set"),
        std::pair("onednn", "version of oneDNN")}) {
    if (then.contains(key) && now.contains(key) && then.at(key) != now.at(key)) {
      warnings.push_back(fmt::format("another {} than before, {} → {}: {}", name,
                                     shown(then.at(key)), shown(now.at(key)), kEffect));
    }
  }
  return warnings;
}

Differences differences_from_0_1(const Json& same, const RunConfig& config, const ModelInfo& info) {
  Differences differences;
  if (same.contains("model")) {
    Json then = same.at("model");
    for (const char* name : {"dropout", "attention_dropout", "activation_dropout",
                             "source_language", "target_language"}) {
      then.erase(name);
    }
    differences += parts_that_differ(then, to_json(describe(info)));
  }
  const Json now{{"train.seed", config.train.seed},
                 {"train.batch_tokens", config.train.batch_tokens},
                 {"train.accumulate", config.train.accumulate},
                 {"train.ema", config.train.ema},
                 {"train.freeze", config.train.freeze},
                 {"train.best_by", config.train.best_by}};
  for (const auto& [name, value] : now.items()) {
    if (same.contains(name) && same.at(name) != value) {
      differences.changes.push_back(change(name, same.at(name), value));
    }
  }
  return differences;
}

void check_differences(const Differences& differences, AllowChanges allow,
                       const std::filesystem::path& checkpoint) {
  std::vector<std::string> all = differences.fixed;
  all.insert(all.end(), differences.changes.begin(), differences.changes.end());
  const std::string named = fmt::format("{}", fmt::join(all, "; "));
  check(differences.fixed.empty(),
        "{}: the run cannot be resumed: {}; the run's weights belong to what it began with: resume "
        "with that, or begin a new run with --init",
        checkpoint.string(), named);
  check(differences.changes.empty() || allow == AllowChanges::yes,
        "{}: the run would not go on as it began: {}; resume with what it began with, or add "
        "--allow-changes",
        checkpoint.string(), named);
}

}  // namespace yona
