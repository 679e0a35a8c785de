#include "yona/tasks/translation/config_checks.h"

#include <set>

#include "yona/base/enum_names.h"
#include "yona/base/error.h"
#include "yona/models/seq2seq_keys.h"
#include "yona/tasks/file_checks.h"
#include "yona/tasks/metric_checks.h"
#include "yona/tasks/translation/translation_scorer.h"
#include "yona/text/subword.h"

namespace yona {

namespace {

namespace fs = std::filesystem;

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
        check_data_file(path, "data.train");
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
    check_data_file(set.source, "data.valid");
    check_data_file(set.target, "data.valid");
  }
  check(data.target_model.empty() || !data.source_model.empty(),
        "data.target_model: is given without data.source_model");
  check_data_file(data.source_model, "data.source_model");
  check_data_file(data.target_model, "data.target_model");
}

void check_model(const RunConfig& config) {
  Seq2SeqConfig model = config.model;
  if (model.source_vocabulary == 0) {  // not known yet: any size will do
    model.source_vocabulary = model.target_vocabulary = 1000;
  }
  check_config(model);
  const std::vector<std::string> unread = unread_keys(model, preset(config.preset));
  check(unread.empty(), "model.{}: is not read by the architecture {}; leave it out",
        unread.empty() ? "" : unread.front(), enum_name(model.arch));
  check(model.positions == PositionKind::none || config.data.max_length <= model.max_positions,
        "data.max_length: {} is more than model.max_positions {}", config.data.max_length,
        model.max_positions);
}

void check_validation(const TrainConfig& train, const DataConfig& data) {
  for (const std::string& name : train.valid_metrics) {
    validation_metric(name, data.target_language);
  }
  check(train.valid_metrics.empty() || !data.valid.empty(),
        "train.valid_metrics: there is no validation set (--valid-src and --valid-tgt)");
  check_best_by(train);
  check(train.patience == 0 || !data.valid.empty(),
        "train.patience: stopping early needs a validation set (--valid-src and --valid-tgt)");
}

}  // namespace

void check_translation_config(const RunConfig& config) {
  check_model(config);
  check_validation(config.train, config.data);
  check_data(config.data);
}

void make_paths_absolute(DataConfig& data) {
  for (CorpusSpec& corpus : data.corpora) {
    for (auto* files : {&corpus.source_files, &corpus.target_files, &corpus.tsv_files}) {
      make_absolute(*files);
    }
  }
  for (ValidationSet& set : data.valid) {
    make_absolute(set.source);
    make_absolute(set.target);
  }
  make_absolute(data.source_model);
  make_absolute(data.target_model);
  make_absolute(data.cache);
}

}  // namespace yona
