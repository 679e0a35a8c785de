// How to decode: the search, its lengths and its scores. The defaults are the paper's (§6.1).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/backend/kernel_args.h"

namespace yona {

class Shortlist;

// Whose beam search: which candidates go on, when a sentence is done, and what a score is. See
// docs/decoding.md for the rules of each.
enum class BeamMode : std::uint8_t { paper, huggingface, ctranslate2, marian, fairseq };

// Hugging Face's early_stopping: True, False or "never".
enum class EarlyStopping : std::uint8_t { yes, no, never };

// What an ensemble does with its models' predictions: the mean of their log-probabilities
// (geometric: OpenNMT-py, and Marian up to a factor) or of their probabilities (fairseq).
enum class EnsembleMean : std::uint8_t { log_probabilities, probabilities };

// Output tokens of a sentence, </s> and a prefix included: at most factor · source tokens + extra,
// where source tokens count their </s>; never more than the model has positions.
struct LengthLimit {
  double factor = 1.0;
  std::int64_t extra = 50;
  bool operator==(const LengthLimit&) const = default;
};

// Draws the next token instead of taking the best. Which numbers are drawn depends on the seed, the
// request's id, the sample and the step: not on the batch.
struct SamplingOptions {
  bool on = false;
  double temperature = 1.0;
  std::int64_t top_k = 0;  // sample among the top_k best; 0: all
  double top_p = 1.0;      // of the fewest best with this much probability together
  std::uint64_t seed = 1;
  bool operator==(const SamplingOptions&) const = default;
};

struct DecodeOptions {
  BeamMode mode = BeamMode::paper;
  std::int64_t beam = 4;    // 1: greedy
  std::int64_t n_best = 1;  // hypotheses to return: at most `beam`; when sampling, as many samples
  double length_penalty = 0.6;  // α; the meaning is the mode's
  double word_penalty = 0.0;    // marian: taken off the score for each token
  double patience = 1.0;        // ctranslate2: beam · patience hypotheses end a sentence
  EarlyStopping early_stopping = EarlyStopping::no;  // huggingface
  bool force_end = false;  // huggingface: the last token is </s> at no cost (forced_eos_token_id)
  LengthLimit limit{};
  std::int64_t min_length = 0;         // tokens before </s> may come
  std::int64_t no_repeat_ngram = 0;    // n-grams of this size come once; 0: any number of times
  bool suppress_unknown = false;       // <unk> never comes out
  std::vector<std::int32_t> banned{};  // ids that never come out
  bool renormalise = false;  // what may not come takes no part in the softmax (renormalize_logits)
  std::int32_t start_id = -1;   // the decoder's first input; -1: the model's own
  std::int32_t first_id = -1;   // the first output of all (forced_bos_token_id); -1: any
  std::int32_t end_id = 0;      // </s>
  std::int32_t unknown_id = 1;  // <unk>
  SamplingOptions sampling{};
  EnsembleMean ensemble = EnsembleMean::log_probabilities;
  // Are log-probabilities wanted? Without them a greedy search finds the same tokens sooner, and
  // their scores are rough.
  bool scores = true;
  bool alignments = false;            // from cross-attention, the mean of its heads
  std::int64_t alignment_layer = -1;  // which decoder layer's; from the end when negative
  // Only what it lists for a source can come out, besides what is forced or given; null: everything
  // can. The softmax is over those alone. CPUs only.
  std::shared_ptr<const Shortlist> shortlist{};
  // Of products and, on a GPU, of what goes from layer to layer; scores are f32. On a CPU: f32.
  Precision precision = Precision::f32;
  // When it turns true, decoding and scoring throw Interrupted (base/stop.h) within a step.
  const std::atomic<bool>* stop = nullptr;

  // The settings that each program has when nothing is asked of it.
  static DecodeOptions for_mode(BeamMode mode);
  bool operator==(const DecodeOptions&) const = default;
};

// Throws InvalidArgument naming the option that cannot be.
void check_options(const DecodeOptions& options);

// "paper", …; the list is for messages and help.
std::string_view name_of(BeamMode mode);
BeamMode beam_mode(std::string_view name);
std::vector<std::string> beam_mode_names();

}  // namespace yona
