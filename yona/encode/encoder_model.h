// An encoder's folder, ready to run: it classifies texts, makes embeddings of them and fills in
// masked words. Behind `yona classify`, `embed` and `fill`, the server and the Python module.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "yona/encode/encoder_answers.h"
#include "yona/encode/encoder_runner.h"
#include "yona/encode/sentence_settings.h"
#include "yona/io/cpu_weights.h"
#include "yona/io/encoder_folder.h"
#include "yona/nn/parameters.h"
#include "yona/text/encoder_tokenizer.h"

namespace yona {

class EncoderModel {
 public:
  // Throws IoError or FormatError naming the file. The backend must outlive the model.
  static std::unique_ptr<EncoderModel> load(const std::filesystem::path& folder, Backend& backend,
                                            Packing packing = Packing::yes,
                                            Precision precision = Precision::f32);

  const EncoderInfo& info() const { return info_; }
  const EncoderTokenizer& tokenizer() const { return tokenizer_; }
  const SentenceSettings& sentence_settings() const { return sentences_; }
  std::int64_t parameter_count() const { return parameters_.count(); }

  // The labels of each text with their probabilities, the most probable first; of a regression the
  // one value. Texts beyond the model's positions are cut, and say so. Throws InvalidArgument when
  // the model has no classification head.
  std::vector<ClassifiedText> classify(const std::vector<TextSegments>& texts);
  // Throws InvalidArgument for a prompt that the folder does not have.
  std::vector<EmbeddedText> embed(const std::vector<std::string>& texts,
                                  const EmbedTextOptions& options = {});
  // The same of texts whose tokens are given, without special ones around them: no prompt is put in
  // front. Throws InvalidArgument for an id that the vocabulary does not have.
  std::vector<EmbeddedText> embed_ids(const std::vector<std::vector<std::int32_t>>& texts,
                                      const EmbedTextOptions& options = {});
  // The `top` most probable tokens for each mask of the text, by place. Throws InvalidArgument for
  // a text without a mask or beyond the model's positions, and when the model has no head for it.
  std::vector<FilledMask> fill(const std::string& text, std::int64_t top = 5);

 private:
  EncoderModel(const std::filesystem::path& folder, EncoderInfo info, Backend& backend,
               Precision precision);
  std::string prompt_of(const std::optional<std::string>& name) const;
  std::int64_t longest_embedded() const;  // tokens, special ones counted
  std::vector<EmbeddedText> embed_encoded(const std::vector<EncodedText>& texts,
                                          const EmbedTextOptions& options);

  EncoderInfo info_;
  EncoderTokenizer tokenizer_;
  SentenceSettings sentences_;
  Bert model_;
  Parameters parameters_;
  CpuWeights weights_;
  EncoderRunner runner_;
  std::mutex mutex_;  // one forward pass at a time
};

}  // namespace yona
