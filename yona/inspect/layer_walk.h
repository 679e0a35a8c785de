// Runs one layer of a model, block by block, and copies what it computes into an explanation. Used
// by inspect/explain.cc and inspect/explain_lm.cc, which know the models.
#pragma once

#include <functional>
#include <string>

#include "yona/inspect/explain.h"
#include "yona/inspect/open_layers.h"

namespace yona {

// The text that stands for a token.
using TokenName = std::function<std::string(std::int32_t)>;

class LayerWalk {
 public:
  enum class Show : std::uint8_t { no, yes };

  // All but the explanation's layer, head and token are written to it, which must be set. The
  // parameters and the explanation must outlive this object.
  LayerWalk(const BlockOptions& block, const Parameters& parameters, Region& region,
            Explanation& into)
      : block_(block), parameters_(parameters), c_{.region = region}, into_(into) {}

  Context& context() { return c_; }
  const BlockOptions& block() const { return block_; }

  // What enters the first layer, and its summands.
  void show_input(const OpenInput& open);
  // The blocks of a layer at their paths ("layers.0."): x [T, d_model] → [T, d_model]. One
  // attention of a layer is shown; the feed-forward network is in any case.
  Ragged self_attention(const std::string& layer, const Ragged& x, const Sight& sight, Show show);
  Ragged cross_attention(const std::string& layer, const Ragged& x, const Ragged& memory,
                         Show show);
  Ragged feed_forward(const std::string& layer, const Ragged& x);
  // The norm after the last layer at `stack` ("decoder.", or nothing); x itself in post-norm.
  Ragged last_norm(const std::string& stack, const Ragged& x);

  // The last token on its way out: the last layer's output, the state that logits are made of, and
  // the logits [1, ids].
  void show_next(const Ragged& last_layer, const Ragged& states, const Tensor& logits,
                 const TokenName& name_of_token);

 private:
  template <class SubLayer>
  Ragged with_norm(const std::string& path, const Ragged& x, const SubLayer& sub_layer);
  void show_attention(const Ragged& x, const Ragged& input, const OpenAttention& open,
                      const Sight& sight);
  void show_turns(const OpenAttention& open);
  void show_scores(const OpenAttention& open, const Sight& sight);
  void show_weights(const OpenAttention& open);
  bool sees(const Sight& sight, std::int64_t key) const;
  // The head of keys and values that the chosen head reads.
  std::int64_t kv_head() const;

  BlockOptions block_;
  const Parameters& parameters_;
  Context c_;
  Explanation& into_;
};

// Throws InvalidArgument naming what is not there.
void check_there(std::string_view what, std::int64_t index, std::int64_t count);

}  // namespace yona
