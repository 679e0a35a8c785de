// Which files make a model folder: what loading reads, what a server watches, and what is verified.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "yona/base/thread_pool.h"

namespace yona {

// The names of the files that loading the folder's model may read, those that are there, sorted:
// configurations, sub-words, weights in one file or in shards, Marian's files, checksums.json. A
// folder that cannot be listed has none.
std::vector<std::string> model_files(const std::filesystem::path& folder);

// Where the sub-words of a model are: in its folder, or, of a run's checkpoint, in the run's.
std::filesystem::path tokenizer_folder(const std::filesystem::path& folder);

enum class VerifiedFiles : std::uint8_t { subwords, all };  // all: the weights too

// Compares files with the folder's checksums.json, if there is one. Settings, which people edit
// (config.json, generation_config.json and the like), are not looked at: verify_folder() does.
// Throws FormatError naming a file that differs and what to do, IoError when one cannot be read.
void verify_model_files(const std::filesystem::path& folder, VerifiedFiles which,
                        ThreadPool* pool = nullptr);

// Writes the checksums of all the folder's model files to checksums.json; returns how many. Throws
// InvalidArgument where another program wrote a file of that name.
std::size_t record_checksums(const std::filesystem::path& folder, ThreadPool* pool = nullptr);

}  // namespace yona
