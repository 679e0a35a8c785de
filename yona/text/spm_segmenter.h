// Text ↔ the vocabulary's ids through SentencePiece's own processor (Kudo and Richardson 2018).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/text/segmenter.h"
#include "yona/text/spm_file.h"
#include "yona/text/subword_sampler.h"
#include "yona/text/vocabulary.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace yona {

class SpmSegmenter final : public Segmenter {
 public:
  // `model` holds the bytes of an .spm file, `name` is for messages. Without a vocabulary the
  // model's own is used. Throws FormatError when the bytes are not a model.
  SpmSegmenter(std::string model, std::shared_ptr<const Vocabulary> vocabulary,
               std::string_view name);
  ~SpmSegmenter() override;

  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;
  // A segmentation drawn at random, as Subword::sample() says.
  void sample(std::string_view text, double alpha, std::uint64_t key,
              std::vector<std::int32_t>& ids) const;

  // Tags: the user-defined pieces that the vocabulary has.
  std::vector<std::string> user_defined() const;
  const std::string& model() const { return model_; }
  SubwordAlgorithm algorithm() const { return file_.algorithm; }
  bool has_own_vocabulary() const { return has_own_vocabulary_; }
  const std::shared_ptr<const Vocabulary>& vocabulary() const { return vocabulary_; }

 private:
  std::string normalise(std::string_view text) const;

  std::string name_;
  std::string model_;
  SpmFile file_;
  bool has_own_vocabulary_;
  std::shared_ptr<const Vocabulary> vocabulary_;
  std::unique_ptr<sentencepiece::SentencePieceProcessor> processor_;
  std::vector<std::int32_t> from_spm_;  // SentencePiece's id → the vocabulary's
  std::vector<int> byte_values_;        // SentencePiece's id → byte, or -1
  // Made when something is first drawn: translating never does.
  mutable std::once_flag sampler_made_;
  mutable std::unique_ptr<const SubwordSampler> sampler_;
};

}  // namespace yona
