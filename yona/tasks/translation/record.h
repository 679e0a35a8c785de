// What a translation run records of its corpora, its model and its sub-words, and what a run that
// is resumed differs in: see train/run_record.h.
#pragma once

#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/tasks/run_config.h"
#include "yona/tasks/task_record.h"
#include "yona/tasks/translation/run_model.h"
#include "yona/train/recorded_values.h"

namespace yona {

// The settings of each corpus and the content of its files, which are read.
Json recorded_corpora(const std::vector<CorpusSpec>& corpora);
Json recorded_model(const ModelInfo& info);
std::string recorded_subwords(const PairEncoder& encoder);

// What two records differ in; `corpora` are those of now. Only what the older one has is compared:
// it may be from an older version. Throws FormatError when it is not a record.
Differences records_that_differ(const Json& then, const Json& now,
                                const std::vector<CorpusSpec>& corpora);
// data.source_model and data.target_model, where given, against the sub-words of the run.
Differences given_subwords_that_differ(const DataConfig& data, const PairEncoder& encoder);
// Versions before 0.2 recorded a few settings alone ("same").
Differences differences_from_0_1(const Json& same, const RunConfig& config, const ModelInfo& info);

}  // namespace yona
