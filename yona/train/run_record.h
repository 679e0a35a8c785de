// What decides the bits of a run, written down with each checkpoint (state.json, "record"): its
// settings, its model and sub-words, the content of its training data, and what computed it. A run
// that is resumed is compared with the record before anything is trained.
//
//   settings   key → value, of the keys whose OnResume is decides or fixed, and ending where it is
//   corpora    for each its settings, its files (name, bytes, crc64), pairs and digest
//   model, subwords, init, platform
//
// Paths are not part of it, except as names for messages: files may move.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/base/json.h"
#include "yona/data/dataset.h"
#include "yona/train/progress.h"
#include "yona/train/run_config.h"
#include "yona/train/run_model.h"

namespace yona {

// What is not as it was, one short text each: "train.seed: 1 → 2", "corpus.en: changed".
struct Differences {
  std::vector<std::string> fixed;    // the run cannot go on with them
  std::vector<std::string> changes;  // it can, if the user wants that

  bool empty() const { return fixed.empty() && changes.empty(); }
  Differences& operator+=(const Differences& other);
};

// --- what is recorded ----------------------------------------------------------------------

Json recorded_settings(const RunConfig& config);
// The settings of each corpus and the content of its files, which are read.
Json recorded_corpora(const std::vector<CorpusSpec>& corpora);
// Adds the number of pairs and their digest.
void add_digests(Json& corpora, const Dataset& dataset);
Json recorded_model(const ModelInfo& info);
std::string recorded_subwords(const PairEncoder& encoder);
Json recorded_platform(const Backend& backend);

// train.batch_tokens of a record; 0 where it has none.
std::int64_t recorded_batch_tokens(const Json& record);

// --- what differs --------------------------------------------------------------------------

// What two records differ in, platform and digests of pairs aside; `corpora` are those of now.
// Only what the older one has is compared, and a setting that it lacks had its default: it may be
// from an older version. Throws FormatError when it is not a record.
Differences records_that_differ(const Json& then, const Json& now,
                                const std::vector<CorpusSpec>& corpora);
// Other ids from files that seem the same. Takes the records' corpora.
Differences pairs_that_differ(const Json& then, const Json& now,
                              const std::vector<CorpusSpec>& corpora);
// data.source_model and data.target_model, where given, against the sub-words of the run.
Differences given_subwords_that_differ(const DataConfig& data, const PairEncoder& encoder);
// Another program version, device, instruction set or oneDNN: one line each.
std::vector<std::string> platform_warnings(const Json& then, const Json& now);

// Versions before 0.2 recorded a few settings alone ("same").
Differences differences_from_0_1(const Json& same, const RunConfig& config, const ModelInfo& info);

enum class AllowChanges : bool { no, yes };
// Throws InvalidArgument naming every difference, unless there is none or changes are allowed.
void check_differences(const Differences& differences, AllowChanges allow,
                       const std::filesystem::path& checkpoint);

}  // namespace yona
