#include "yona/tasks/translation/data_plan.h"

#include <limits>

#include "yona/tasks/planned_preset.h"
#include "yona/train/time_plan.h"

namespace yona {

namespace {

std::int64_t count_pairs(const std::vector<CorpusSpec>& corpora) {
  std::int64_t pairs = 0;
  for (const CorpusSpec& corpus : corpora) {
    PairReader reader(corpus);
    for (TextPair pair; reader.next(pair);) {
      ++pairs;
    }
  }
  return pairs;
}

}  // namespace

const std::vector<DataRow>& data_rows() {
  static const std::vector<DataRow> rows{
      {20'000, "tiny", 4000, 4096},
      {300'000, "tiny", 6000, 4096},
      {3'000'000, "iwslt", 16000, 8192},
      {std::numeric_limits<std::int64_t>::max(), "base", 32000, 12500}};
  return rows;
}

const DataRow& data_row(std::int64_t pairs) {
  const DataRow* found = &data_rows().back();
  for (const DataRow& row : data_rows()) {
    if (pairs <= row.pairs) {
      found = &row;
      break;
    }
  }
  return *found;
}

double planned_rate(std::int64_t d_model) { return 0.512 / static_cast<double>(d_model); }

double planned_dropout(double passes) {
  if (passes < 20) {
    return 0.1;
  }
  return passes < 80 ? 0.2 : 0.3;
}

std::vector<std::string> planned_translation_keys() {
  std::vector<std::string> keys{"preset", "model.norm", "model.dropout", "data.vocabulary_size"};
  keys.insert(keys.end(), planned_train_keys().begin(), planned_train_keys().end());
  return keys;
}

void plan_translation(RunConfig& config) {
  const DataRow& row = data_row(count_pairs(config.data.corpora));
  if (config.is_open("preset")) {
    apply_planned_preset(config, row.preset);
  }
  if (config.is_open("model.norm") && config.model.arch == Arch::transformer) {
    config.model.norm = NormPosition::pre;
  }
  if (config.is_open("data.vocabulary_size") && config.data.source_model.empty()) {
    config.data.vocabulary_size = row.vocabulary;
  }
  if (config.is_open("train.batch_tokens")) {
    config.train.batch_tokens = row.batch_tokens;
  }
  config.train.schedule.kind = ScheduleKind::cosine;
  config.train.schedule.rate = planned_rate(config.model.d_model);
  config.train.schedule.warmup = 1000;  // at most: time_plan.h
}

}  // namespace yona
