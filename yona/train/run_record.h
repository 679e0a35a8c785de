// What decides the bits of a run, written down with each checkpoint (state.json, "record"): its
// settings, its model and sub-words, the content of its training data, and what computed it. A run
// that is resumed is compared with the record before anything is trained.
//
//   settings   key → value, of the keys whose OnResume is decides or fixed, and ending where it is
//   corpora    for each its settings, its files (name, bytes, crc64), pairs and digest
//   model, subwords, init, platform
//   valid      files of the first validation set, which decide no weights: scores of another set
//              cannot be compared with these
//
// Paths are not part of it, except as names for messages: files may move. Settings, corpora, model
// and sub-words are the task's to record and to compare; the rest is here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/base/json.h"
#include "yona/data/examples.h"
#include "yona/train/recorded_values.h"

namespace yona {

// Adds to each corpus the number of its examples and their digest.
void add_digests(Json& corpora, const Examples& examples);
Json recorded_platform(const Backend& backend);

// train.batch_tokens of a record; 0 where it has none.
std::int64_t recorded_batch_tokens(const Json& record);

// Another folder that the run began with.
Differences init_that_differs(const Json& then, const Json& now);
// Other ids from files that seem the same. Takes the records' corpora.
Differences examples_that_differ(const Json& then, const Json& now,
                                 const std::vector<Examples::Part>& parts);
// Is the first validation set of two records another one? Not where one of them has none.
bool validation_differs(const Json& then, const Json& now);
// Another program version, device, instruction set or oneDNN: one line each.
std::vector<std::string> platform_warnings(const Json& then, const Json& now);

enum class AllowChanges : bool { no, yes };
// Throws InvalidArgument naming every difference, unless there is none or changes are allowed.
void check_differences(const Differences& differences, AllowChanges allow,
                       const std::filesystem::path& checkpoint);

}  // namespace yona
