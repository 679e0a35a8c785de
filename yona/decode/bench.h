// How fast decoding is: `yona bench translate`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "yona/backend/kernel_args.h"
#include "yona/base/json.h"
#include "yona/io/translation_model.h"
#include "yona/models/transformer_config.h"

namespace yona {

class Shortlist;

struct TranslateBenchOptions {
  std::filesystem::path model;  // a folder, or empty: random weights of the preset
  TransformerConfig config;     // with the vocabulary, for random weights
  std::string preset = "base";
  std::int64_t batch = 32;  // sentences decoded together
  std::int64_t sentences = 32;
  std::int64_t beam = 4;
  std::int64_t source_length = 32;  // tokens, </s> included
  std::int64_t new_tokens = 32;     // exact output length: no sentence ends earlier
  std::int64_t repetitions = 3;     // that are timed, after one that is not
  std::string device = "cpu";
  Precision precision = Precision::f32;
  Packing packing = Packing::yes;
  int threads = 0;
  std::shared_ptr<const Shortlist> shortlist{};
  bool profile = false;  // milliseconds per kernel
  bool measure = false;  // algorithms of products, on a GPU
};

// One object with the peers' fields: tok_s (output tokens of the best hypotheses per second), ms
// and s (median of the repetitions), load_s, first_s (load and one sentence), mem_mb, and more.
Json bench_translate(const TranslateBenchOptions& options);

}  // namespace yona
