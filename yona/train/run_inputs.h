// What a run trains on: its folder and its data sets. What it trains is in run_model.h.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/data/dataset.h"
#include "yona/text/pair_encoder.h"
#include "yona/train/progress.h"
#include "yona/train/run_config.h"
#include "yona/train/trainer.h"
#include "yona/train/validation.h"

namespace yona {

// Throws InvalidArgument when the folder holds a run that is not to be resumed, or anything else:
// nothing is trained over by accident, and no model is mixed with another.
void check_run_folder(const std::filesystem::path& run, bool resume);
// Checks the run's folder, and makes it. Throws IoError when it cannot.
void prepare_folder(const TrainerOptions& options);

// The model that the run begins with: --init, which is noted in the run's folder (init.txt), or
// what was noted there when the run was stopped before its first checkpoint.
std::filesystem::path init_of(const TrainerOptions& options);

// Reads through the validation sets. Throws FormatError when the sides of one have different
// numbers of lines: before anything expensive is done.
void check_validation_lines(const RunConfig& config);

// bf16 where the backend gains by it; elsewhere f32, said once.
RunConfig with_usable_precision(RunConfig config, const Backend& backend, Reporter& reporter);

std::shared_ptr<const Dataset> prepare_training_set(const RunConfig& config,
                                                    const PairEncoder& encoder,
                                                    const std::filesystem::path& run,
                                                    ThreadPool& pool, Reporter& reporter);
// A validation set as a corpus; its tags, where none are given, are the first training corpus's
// that name a language.
CorpusSpec corpus_of(const ValidationSet& set, const std::vector<CorpusSpec>& training);
std::vector<Validation> prepare_validation(const RunConfig& config, const PairEncoder& encoder,
                                           std::int64_t max_positions,
                                           const std::filesystem::path& run, ThreadPool& pool,
                                           Reporter& reporter);

}  // namespace yona
