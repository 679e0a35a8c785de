// The answers of yona's own API as JSON: texts, and of each sentence what was asked for. They are
// made as text, because attention comes as text: as a tree of numbers it would take many times the
// memory. Its pieces are moved: copies of megabytes would hold up all other requests.
#pragma once

#include <string>
#include <vector>

#include "yona/serve/texts.h"

namespace yona::serve {

// What was asked for, as far as the answer needs to know.
struct WantedAnswer {
  ModelSummary model;
  bool scores = false, alignments = false, attention = false, is_n_best = false;
  bool names_models = false;  // of each translation: they are of several
  Clock::time_point start = Clock::now();
};

// {"text", …} of each text; see docs/serving.md.
std::vector<TextPieces> translation_texts(const Texts& texts, std::vector<SentenceResult> results,
                                          const WantedAnswer& wanted);

// {"translations": [{"text", …}, …], "model", "milliseconds"}
TextPieces answer_text(std::vector<TextPieces> translations, const WantedAnswer& wanted);

// A model of /v1/models.
Json model_json(const ModelSummary& model);

}  // namespace yona::serve
