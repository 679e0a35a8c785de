// Forward passes of an encoder over many texts: they are sorted by length, cut into batches by a
// budget of tokens, and answered in their own order.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "yona/models/bert.h"
#include "yona/tensor/context.h"
#include "yona/text/encoder_tokenizer.h"

namespace yona {

// One vector for a text: the mean over its tokens, that of its first one ([CLS]), or the largest
// value of each channel.
enum class Pooling : std::uint8_t { mean, cls, max };

using Vectors = std::vector<std::vector<float>>;

class EncoderRunner {
 public:
  // The model is bound to weights on this backend; both must outlive this object.
  EncoderRunner(const Bert& model, Backend& backend, Precision precision = Precision::f32)
      : model_(model), region_(backend), precision_(precision) {}

  // [texts][labels]
  Vectors class_logits(std::span<const EncodedText> texts);
  // [texts][d_model], not normalised
  Vectors pooled(std::span<const EncodedText> texts, Pooling pooling);
  // Of every place in one text, which are given by their positions: [places][V].
  Vectors masked_logits(const EncodedText& text, std::span<const std::int64_t> places);

 private:
  // What is computed of a batch: [rows, columns], a row for each text.
  using Head = std::function<Tensor(const BertInput& input, const Ragged& states, Context& c)>;
  Vectors run(std::span<const EncodedText> texts, const Head& head);
  Vectors largest(std::span<const EncodedText> texts);
  BertInput upload(std::span<const EncodedText> texts, std::span<const std::size_t> batch);

  const Bert& model_;
  Region region_;
  Precision precision_;
};

}  // namespace yona
