// The flags of a search, for every command that decodes: translate, and what serves it.
#pragma once

#include "yona/cli/command.h"
#include "yona/decode/options.h"
#include "yona/decode/translate_options.h"

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

// What is typed. Throws InvalidArgument naming the flag.
TranslateOptions translate_options(const SearchFlags& flags);
// Throws InvalidArgument, naming the flag, where a model's search cannot be with these flags.
void check_search(const SearchFlags& flags, const DecodeOptions& options);
// The search of a model that says nothing of it. Throws as both above.
DecodeOptions options_of(const SearchFlags& flags);

}  // namespace yona::cli
