// Embeddings (paper §3.4): a table of one vector per token of the vocabulary, multiplied by
// √d_model on the way in, with positions and dropout (§3.5, §5.4); and used as it is as the
// projection in front of the softmax on the way out.
#pragma once

#include "yona/nn/module.h"
#include "yona/nn/positions.h"
#include "yona/tensor/ragged.h"
#include "yona/tensor/row_dropout.h"

namespace yona {

// Token ids of a batch and where its sentences are.
struct Tokens {
  Tensor ids;  // i32 [T]
  std::shared_ptr<const Layout> layout;
};

// The last id is <pad>: its row is zero and stays zero.
class TokenTable : public Module {
 public:
  TokenTable(std::int64_t vocabulary, std::int64_t d_model);

  const Tensor& weight() const { return weight_.value; }  // [V, d_model]
  // Without <pad>, which takes no part in the softmax: [V - 1, d_model].
  Tensor projection() const { return weight_.value.row_range(0, weight_.shape[0] - 1); }
  std::int32_t padding_id() const { return static_cast<std::int32_t>(weight_.shape[0]) - 1; }

 private:
  Parameter weight_;
};

class InputEmbedding : public Module {
 public:
  // The table may be shared; it must outlive this module and is registered by its owner.
  InputEmbedding(const TokenTable& table, const Positions& positions, double dropout)
      : table_(table), positions_(positions), dropout_(dropout) {}

  Ragged operator()(const Tokens& tokens, Context& c) const;

 private:
  const TokenTable& table_;
  const Positions& positions_;
  double dropout_;
};

}  // namespace yona
