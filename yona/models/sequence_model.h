// A model that writes a sequence token after token, as training, decoding and scoring see it: an
// encoder-decoder; a decoder alone, whose memory is empty; or a recurrent one, which keeps its
// state in the context's cache.
#pragma once

#include <cstdint>

#include "yona/nn/embedding.h"
#include "yona/nn/module.h"
#include "yona/tensor/context.h"
#include "yona/tensor/ragged.h"

namespace yona {

// What makes logits of states: weight [ids, d_model] and, where there is one, bias [ids].
struct OutputLayer {
  Tensor weight{}, bias{};
};

// What decoding has to know of a model.
struct SequenceShape {
  std::int64_t source_vocabulary = 0;
  std::int64_t target_vocabulary = 0;
  std::int64_t outputs = 0;  // ids that can come out: all, or all but a barred <pad>, the last
  std::int64_t max_positions = 0;
  std::int64_t decoder_layers = 0;
  std::int32_t start_id = 0;      // the decoder's first input
  bool plain_projection = true;   // logits are states · weightᵀ, without bias or scale
  bool uploads_in_steps = false;  // a step of the decoder reads from the host (relative positions)

  bool has_barred_pad() const { return outputs < target_vocabulary; }
};

class SequenceModel : public Module {
 public:
  virtual const SequenceShape& shape() const = 0;

  // Source tokens → memory [T_source, d_model].
  virtual Ragged encode(const Tokens& source, Context& c) const = 0;
  // Target tokens so far (beginning with start_id()) and the memory → states [T_target, d_model],
  // each of which predicts the next token through logits(). With a cache, the newest token of each
  // row alone.
  virtual Ragged decode(const Tokens& target, const Ragged& memory, Context& c) const = 0;
  // What logits() multiplies with the projection: the states, scaled in models that do so.
  virtual Tensor projected_states(const Tensor& states, Context& /*c*/) const { return states; }
  virtual OutputLayer output_layer() const = 0;

  // states · projectionᵀ (+ bias): [T_target, outputs()].
  Tensor logits(const Tensor& states, Context& c) const {
    return logits(states, output_layer(), c);
  }
  // The same for the ids whose rows a layer has: some of output_layer()'s.
  Tensor logits(const Tensor& states, const OutputLayer& layer, Context& c) const;

  Tensor projection() const { return output_layer().weight; }     // [outputs(), d_model]
  Tensor projection_bias() const { return output_layer().bias; }  // [outputs()], or empty
  std::int64_t outputs() const { return shape().outputs; }
  std::int32_t start_id() const { return shape().start_id; }
};

}  // namespace yona
