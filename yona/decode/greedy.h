// Greedy decoding: the best next token, again and again, until </s>. The whole prefix is run
// through the decoder at every step, which is simple and enough for short sentences.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/io/translation_model.h"

namespace yona {

struct GreedyOptions {
  std::int64_t extra_tokens = 50;     // output is at most source tokens plus these (paper §6.1)
  std::int64_t batch_sentences = 64;  // decoded together
};

class GreedyTranslator {
 public:
  // The model and the backend must outlive this object.
  GreedyTranslator(const TranslationModel& model, Backend& backend,
                   const GreedyOptions& options = {});

  // One translation per line, in order; a blank line gives a blank line. Throws InvalidArgument
  // for a line with more tokens than the model has positions.
  std::vector<std::string> translate(const std::vector<std::string>& lines);

 private:
  using Ids = std::vector<std::int32_t>;
  std::vector<Ids> decode(const std::vector<Ids>& sources);

  const TranslationModel& model_;
  GreedyOptions options_;
  Region region_;
};

}  // namespace yona
