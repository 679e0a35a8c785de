// The flags of a search, for every command that decodes: translate, and what serves it.
#pragma once

#include "yona/cli/command.h"
#include "yona/decode/generation_config.h"

namespace yona::cli {

// As typed; empty is the mode's own default.
struct SearchFlags {
  std::string mode, beam, length_penalty, n_best, min_length, max_length, no_repeat_ngram;
  std::string temperature, top_k, top_p;
  std::string seed = "1";
  bool sample = false;
};

void add_search_flags(CLI::App& app, SearchFlags& flags);
// What a program that answers each line once can do besides: n-best lists and sampling.
void add_output_flags(CLI::App& app, SearchFlags& flags);

// Throws InvalidArgument naming the flag.
DecodeOptions options_of(const SearchFlags& flags);
// The same for a model: without --beam-mode, as its folder wants to be decoded.
DecodeOptions options_of(const SearchFlags& flags, const std::filesystem::path& folder,
                         const ModelInfo& info);

}  // namespace yona::cli
