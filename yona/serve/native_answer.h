// The answers of yona's own API as JSON: texts, and of each sentence what was asked for.
#pragma once

#include <vector>

#include "yona/serve/texts.h"

namespace yona::serve {

// What was asked for, as far as the answer needs to know.
struct WantedAnswer {
  ModelSummary model;
  bool scores = false, alignments = false, attention = false, is_n_best = false;
  Clock::time_point start = Clock::now();
};

// {"translations": [{"text", …}, …], "model", "milliseconds"}; see docs/serving.md.
Json answer_json(const Texts& texts, const std::vector<SentenceResult>& results,
                 const WantedAnswer& wanted);

// A model of /v1/models.
Json model_json(const ModelSummary& model);

}  // namespace yona::serve
