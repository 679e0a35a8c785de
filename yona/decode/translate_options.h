// How text is translated, as users say it. What is left out is as the model's folder says
// (generation_config.json, Marian's decoder.yml), for models of yona's own as the paper does.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace yona {

// What to do with a line that has more tokens than the model takes.
enum class LongLines : std::uint8_t { split, refuse };

// Draws each next token instead of searching for the best ones.
struct Sampling {
  double temperature = 1.0;
  std::int64_t top_k = 0;  // of the N best; 0: of all
  double top_p = 1.0;      // of the fewest best with this much probability together
};

struct TranslateOptions {
  // Whose beam search, to the digit: paper, huggingface, ctranslate2, marian or fairseq.
  std::string beam_mode{};
  std::optional<std::int64_t> beam{};  // hypotheses kept at each step; 1: greedy
  std::int64_t n_best = 1;             // translations of each line: at most `beam`
  std::optional<double> length_penalty{};
  std::optional<std::int64_t> min_length{}, max_length{};  // tokens
  std::optional<std::int64_t> no_repeat_ngram{};  // n-grams of this size come once; 0: any number
  std::optional<Sampling> sampling{};
  std::uint64_t seed = 1;  // of sampling
  // Are log-probabilities wanted? Without them a greedy search is faster, and its scores are rough.
  bool scores = true;
  bool alignments = false;            // from cross-attention, the mean of its heads
  std::int64_t alignment_layer = -1;  // which decoder layer's; from the end when negative

  LongLines long_lines = LongLines::split;
  // Source tokens decoded together, times the beam; by default 4096, on a GPU 65536.
  std::optional<std::int64_t> batch_tokens{};
  // After each batch: how much of the call is done, up to 1. By a thread that decodes.
  std::function<void(double share)> progress{};
  const std::atomic<bool>* stop = nullptr;  // when it turns true, the call throws Interrupted
};

}  // namespace yona
