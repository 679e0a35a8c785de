// The data sets of a translation run. The model is in run_model.h.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/data/parallel_text.h"
#include "yona/tasks/run_config.h"
#include "yona/tasks/translation/validation.h"
#include "yona/text/pair_encoder.h"
#include "yona/train/progress.h"

namespace yona {

// Reads through the validation sets. Throws FormatError when the sides of one have different
// numbers of lines: before anything expensive is done.
void check_validation_lines(const RunConfig& config);

std::shared_ptr<const ParallelText> prepare_training_set(const RunConfig& config,
                                                         const PairEncoder& encoder,
                                                         const std::filesystem::path& run,
                                                         ThreadPool& pool, Reporter& reporter);
// A validation set as a corpus; its tags, where none are given, are the first training corpus's
// that name a language.
CorpusSpec corpus_of(const ValidationSet& set, const std::vector<CorpusSpec>& training);
// One for each of data.valid, with the scores of train.valid_metrics.
std::vector<std::unique_ptr<Evaluation>> prepare_validation(const RunConfig& config,
                                                            const PairEncoder& encoder,
                                                            const SequenceModel& model,
                                                            const std::filesystem::path& run,
                                                            Backend& backend, Reporter& reporter);

}  // namespace yona
