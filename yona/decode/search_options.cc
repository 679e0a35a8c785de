#include "yona/decode/search_options.h"

#include "yona/decode/generation_config.h"

namespace yona {

DecodeOptions folder_search(const std::filesystem::path& folder, const ModelInfo& info,
                            const std::string& mode) {
  return mode.empty() ? folder_options(folder, info)
                      : folder_options(folder, info, beam_mode(mode));
}

DecodeOptions with_asked(DecodeOptions options, const TranslateOptions& asked) {
  options.beam = asked.beam.value_or(options.beam);
  options.n_best = asked.n_best;
  options.length_penalty = asked.length_penalty.value_or(options.length_penalty);
  options.min_length = asked.min_length.value_or(options.min_length);
  options.no_repeat_ngram = asked.no_repeat_ngram.value_or(options.no_repeat_ngram);
  if (asked.max_length) {
    options.limit = {.factor = 0, .extra = *asked.max_length};
  }
  options.sampling = {.on = asked.sampling.has_value(), .seed = asked.seed};
  if (asked.sampling) {
    options.sampling.temperature = asked.sampling->temperature;
    options.sampling.top_k = asked.sampling->top_k;
    options.sampling.top_p = asked.sampling->top_p;
  }
  options.scores = asked.scores;
  options.alignments = asked.alignments;
  options.alignment_layer = asked.alignment_layer;
  options.stop = asked.stop;
  return options;
}

DecodeOptions search_options(const std::filesystem::path& folder, const ModelInfo& info,
                             const TranslateOptions& asked) {
  DecodeOptions options = with_asked(folder_search(folder, info, asked.beam_mode), asked);
  check_options(options);
  return options;
}

}  // namespace yona
