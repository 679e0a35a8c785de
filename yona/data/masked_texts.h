// Plain text for masked language modelling (Devlin et al. 2019, §3.1): lines are joined into
// sequences of a fixed number of tokens, and of each 15 % of the tokens are chosen. 80 % of these
// become [MASK], 10 % a random token, and 10 % stay as they are. What is chosen is drawn again in
// every epoch, by seed, epoch and example: a run that is resumed draws the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "yona/data/examples.h"
#include "yona/text/encoder_tokenizer.h"

namespace yona {

// The sides of a masked text.
inline constexpr std::size_t kMaskedText = 0;
inline constexpr std::size_t kMaskedPlaces = 1;  // positions in the text, in order
inline constexpr std::size_t kMaskedTokens = 2;  // what was there

struct MaskedOptions {
  std::int64_t max_length = 128;  // tokens of a sequence, [CLS] and [SEP] counted
  double share = 0.15;            // of the tokens that are chosen
  bool whole_words = false;       // choose all pieces of a word together
  std::uint64_t corpus = 0;       // which one of the run: see example_id()
};

class MaskedTexts : public Examples {
 public:
  // Throws IoError, and FormatError for files without text. A blank line ends a sequence.
  MaskedTexts(const std::vector<std::filesystem::path>& files, const EncoderTokenizer& tokenizer,
              const MaskedOptions& options);

  Lengths lengths(std::uint64_t example) const override;
  void fill(std::span<const std::uint32_t> examples, std::int64_t batch_tokens, const Draw& draw,
            Batch& batch) const override;

  std::int64_t tokens() const { return static_cast<std::int64_t>(ids_.size()); }

 private:
  std::vector<std::int64_t> chosen_places(std::uint64_t example, std::uint64_t key) const;
  void append(std::uint64_t example, const Draw& draw, Batch& batch) const;

  EncoderTokenizer tokenizer_;
  MaskedOptions options_;
  std::vector<std::int32_t> ids_;  // of all sequences, special tokens included
  std::vector<std::int64_t> offsets_{0};
};

}  // namespace yona
