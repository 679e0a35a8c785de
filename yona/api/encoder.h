// A folder of an encoder (BERT, RoBERTa, DistilBERT, sentence-transformers, or what `yona train
// --task classification|masked-lm` wrote), loaded: labels, embeddings, masked words.
//
//   auto encoder = yona::TextEncoder::load("folder");
//   std::vector<float> vector = encoder.embed({"Hello."})[0].vector;
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "yona/api/model.h"
#include "yona/encode/encoder_answers.h"

namespace yona {

class EncoderRuntime;  // the library's own

// What a folder says of its encoder.
struct EncoderDetails {
  std::string family;                 // "bert", "roberta", "distilbert" or "yona-encoder"
  std::vector<std::string> labels{};  // of the classification head; empty: there is none
  bool is_regression = false;
  bool fills_masks = false;  // is there a head for masked words?
  std::string mask{};        // how a mask is written: "[MASK]"
  std::int64_t parameters = 0;
  std::int64_t layers = 0, d_model = 0, d_ff = 0, heads = 0;
  std::int64_t vocabulary = 0, max_positions = 0;
  std::string pooling{};               // of embeddings, by default
  std::vector<std::string> prompts{};  // names that embed() takes
};

// Calls from several threads are computed one after another. What cannot be done throws an Error
// (yona/base/error_kinds.h) whose what() is one line.
class TextEncoder {
 public:
  // Throws IoError or FormatError naming the file, InvalidArgument naming the option. Languages and
  // the shortlist of the options are not used.
  static TextEncoder load(const std::filesystem::path& folder, const LoadOptions& options = {});
  // Does the folder hold an encoder? Else Model::load() is what takes it, or says why it cannot.
  // Throws FormatError for a config.json that cannot be read.
  static bool is_encoder(const std::filesystem::path& folder);

  explicit TextEncoder(std::unique_ptr<EncoderRuntime> runtime);
  ~TextEncoder();
  TextEncoder(TextEncoder&& other) noexcept;
  TextEncoder& operator=(TextEncoder&& other) noexcept;

  EncoderDetails details() const;

  // The labels of each text with their probabilities, the most probable first; of a regression the
  // one value. Throws InvalidArgument when the model has no classification head.
  std::vector<ClassifiedText> classify(const std::vector<TextSegments>& texts) const;
  // One vector for each text.
  std::vector<EmbeddedText> embed(const std::vector<std::string>& texts,
                                  const EmbedTextOptions& options = {}) const;
  // The `top` most probable tokens for each mask of the text. Throws InvalidArgument for a text
  // without a mask, and when the model has no head for them.
  std::vector<FilledMask> fill(const std::string& text, std::int64_t top = 5) const;

 private:
  std::unique_ptr<EncoderRuntime> runtime_;
};

}  // namespace yona
