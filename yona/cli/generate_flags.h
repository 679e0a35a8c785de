// The flags of `yona generate`.
#pragma once

#include <string>
#include <vector>

#include "yona/api/model.h"
#include "yona/cli/command.h"
#include "yona/generate/generate_options.h"

namespace yona::cli {

struct GenerateFlags {
  std::string model, prompt, input, output, chunk_lines;
  std::string max_new, seed = "1", answers = "1", top_logprobs;
  std::string temperature = "0", top_k = "0", top_p = "1", min_p = "0";
  std::string repetition_penalty = "1", presence_penalty = "0", frequency_penalty = "0";
  std::string beam = "1", length_penalty = "1";
  std::vector<std::string> stop;
  std::string json_schema, regex;
  bool json = false, logprobs = false;
  std::string device = "cpu", threads = "0", compute_type;

  // An empty prompt is one, too.
  bool has_prompt(const CLI::App& app) const;
};

void add_generate_flags(CLI::App& app, GenerateFlags& flags);

// Throw InvalidArgument naming the flag.
GenerateOptions options_of(const GenerateFlags& flags);
LoadOptions load_options_of(const GenerateFlags& flags);

}  // namespace yona::cli
