#include "yona/tasks/translation/record.h"

#include <algorithm>
#include <tuple>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/data/cache_key.h"
#include "yona/tasks/task_kind.h"
#include "yona/tasks/translation/config_keys.h"

namespace yona {

namespace {

std::vector<std::filesystem::path> files_of(const CorpusSpec& corpus) {
  std::vector<std::filesystem::path> files;
  for (const auto* list : {&corpus.source_files, &corpus.target_files, &corpus.tsv_files}) {
    files.insert(files.end(), list->begin(), list->end());
  }
  return files;
}

// Is this part of a model's description a setting too, or one that may change?
bool is_setting(const std::string& name) {
  const auto& keys = run_config_keys("translation");
  return std::any_of(keys.begin(), keys.end(), [&](const ConfigKey<RunConfig>& key) {
    return key.name == "model." + name || key.name == "data." + name;
  });
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
    const auto changes = changed_files(then[i].at("files"), now[i].at("files"),
                                       files_of(corpora[i]), corpora[i].name);
    differences.changes.insert(differences.changes.end(), changes.begin(), changes.end());
  }
  return differences;
}

}  // namespace

Json recorded_corpora(const std::vector<CorpusSpec>& corpora) {
  Json recorded = Json::array();
  for (const CorpusSpec& corpus : corpora) {
    Json entry = recorded_values(corpus, corpus_keys());
    entry["files"] = recorded_files(files_of(corpus));
    recorded.push_back(std::move(entry));
  }
  return recorded;
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

Differences records_that_differ(const Json& then, const Json& now,
                                const std::vector<CorpusSpec>& corpora) {
  try {
    Differences differences =
        settings_that_differ(then.at("settings"), now.at("settings"), "translation");
    differences += corpora_that_differ(then.at("corpora"), now.at("corpora"), corpora);
    differences += parts_that_differ(then.at("model"), now.at("model"));
    if (then.at("subwords") != now.at("subwords")) {
      differences.fixed.emplace_back("the sub-words in the run's folder: changed");
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

}  // namespace yona
