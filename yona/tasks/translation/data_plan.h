// What a translation run chooses by the amount of its text, where the user gave nothing. The table
// and how it was found are in docs/training-time.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yona/data/corpus.h"
#include "yona/tasks/run_config.h"

namespace yona {

// A row of the table, for corpora of up to `pairs` pairs.
struct DataRow {
  std::int64_t pairs = 0;
  std::string_view preset;
  std::int64_t vocabulary = 0;    // pieces, at most
  std::int64_t batch_tokens = 0;  // before time_plan.h makes it smaller
};

const std::vector<DataRow>& data_rows();
const DataRow& data_row(std::int64_t pairs);

// Highest learning rate of a pre-norm model: 0.004 for d_model 128, 0.001 for 512.
double planned_rate(std::int64_t d_model);
// By the number of passes over the data: the fewer, the less a model can memorise.
double planned_dropout(double passes);

// All keys that this plan chooses, those of train/time_plan.h included.
std::vector<std::string> planned_translation_keys();

// Gives open keys (RunConfig::is_open) their values: preset, model.norm, data.vocabulary_size,
// train.batch_tokens, train.schedule, train.learning_rate, train.warmup. Reads the corpora.
void plan_translation(RunConfig& config);

}  // namespace yona
