// Embeddings (paper §3.4): a table of one vector per token of the vocabulary, multiplied by
// √d_model on the way in, with positions and dropout (§3.5, §5.4); and used as it is as the
// projection in front of the softmax on the way out. Later models leave the multiplication out, or
// normalise the sum.
#pragma once

#include <array>
#include <string_view>

#include "yona/nn/module.h"
#include "yona/nn/norm.h"
#include "yona/nn/positions.h"
#include "yona/tensor/ragged.h"
#include "yona/tensor/row_dropout.h"

namespace yona {

// Token ids of a batch and where its sentences are.
struct Tokens {
  Tensor ids;  // i32 [T]
  std::shared_ptr<const Layout> layout;
};

// What the vocabulary's <pad> is. barred: the last id; its row is zero and stays zero, and it takes
// no part in the softmax. ordinary: a token like others, wherever it is (foreign models).
enum class Padding : std::uint8_t { barred, ordinary };
constexpr std::array<std::string_view, 2> enum_names(Padding) { return {"barred", "ordinary"}; }

class TokenTable : public Module {
 public:
  TokenTable(std::int64_t vocabulary, std::int64_t d_model, Padding padding = Padding::barred);

  const Tensor& weight() const { return weight_.value; }  // [V, d_model]
  // The rows of the softmax: [V - 1, d_model], or all V where <pad> is ordinary.
  Tensor projection() const {
    return padding_ == Padding::ordinary ? weight_.value
                                         : weight_.value.row_range(0, weight_.shape[0] - 1);
  }
  // The id that embeds as zero; -1 when there is none.
  std::int32_t zero_id() const {
    return padding_ == Padding::ordinary ? -1 : static_cast<std::int32_t>(weight_.shape[0]) - 1;
  }

 private:
  Parameter weight_;
  Padding padding_;
};

struct EmbeddingOptions {
  double dropout = 0.0;
  bool scaled = true;               // by √d_model
  const LayerNorm* norm = nullptr;  // of the sum, before dropout; owned by the module's owner
  std::int32_t constant_id = -1;    // learns nothing from being an input; -1: there is none
};

class InputEmbedding : public Module {
 public:
  // The table may be shared; it must outlive this module and is registered by its owner.
  InputEmbedding(const TokenTable& table, const Positions& positions,
                 const EmbeddingOptions& options)
      : table_(table), positions_(positions), options_(options) {}

  Ragged operator()(const Tokens& tokens, Context& c) const;

 private:
  const TokenTable& table_;
  const Positions& positions_;
  EmbeddingOptions options_;
};

}  // namespace yona
