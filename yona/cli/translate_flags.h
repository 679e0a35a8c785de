// The flags of `yona translate`, as typed.
#pragma once

#include <string>
#include <vector>

#include "yona/cli/search_flags.h"
#include "yona/cli/worker_backends.h"

namespace yona::cli {

struct TranslateFlags {
  std::vector<std::string> models;
  std::string input, output, prefixes, targets;
  std::string source_language, target_language;
  std::string batch_tokens, chunk_lines;
  std::string long_lines = "split";
  std::string encoding = "repair";
  std::string compute_type;
  std::string alignment, alignment_layer;
  std::string shortlist;
  WorkerFlags workers;
  SearchFlags search;
  bool json = false;
  bool word_scores = false;
};

void add_translate_flags(CLI::App& app, TranslateFlags& flags);

}  // namespace yona::cli
