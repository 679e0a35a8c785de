// Normalisation, and the two ways a sub-layer sits in the residual stream.
#pragma once

#include <array>
#include <string_view>

#include "yona/nn/sub_layer.h"
#include "yona/tensor/ops/residual_norm.h"
#include "yona/tensor/ops/rms_norm.h"

namespace yona {

inline constexpr float kNormEpsilon = 1e-5F;  // as in the Hugging Face families

// layer: mean and deviation (Ba et al. 2016); rms: without mean and bias (Zhang and Sennrich 2019).
// batch: mean and deviation of a channel over all tokens of the batch (Ioffe and Szegedy 2015), for
// comparison.
enum class NormKind : std::uint8_t { layer, rms, batch };
constexpr std::array<std::string_view, 3> enum_names(NormKind) { return {"layer", "rms", "batch"}; }

// The residual stream between sub-layers: x, or x + Dropout(r) before it has been added up. The
// norm that comes next does that, in the one pass that it makes over both, or together with the
// product that r comes from. r is used here alone: in training its values, which no gradient needs,
// are discarded then.
class Residual {
 public:
  Residual(Ragged x) : x_(std::move(x)) {}  // NOLINT(google-explicit-constructor): nothing to add
  Residual(Ragged x, SubLayerResult r, RowDropout dropout)
      : x_(std::move(x)), r_(std::move(r)), dropout_(std::move(dropout)) {}

  Ragged sum(Context& c) const;

 private:
  friend class LayerNorm;
  bool pending() const { return r_.there(); }
  void discard(const Ragged& r, const Context& c) const;

  Ragged x_;
  SubLayerResult r_;
  RowDropout dropout_;
};

class LayerNorm : public Module {
 public:
  struct Result {
    Ragged sum, normed;
  };

  explicit LayerNorm(std::int64_t d_model, NormKind kind = NormKind::layer,
                     float epsilon = kNormEpsilon);
  Ragged operator()(const Residual& x, Context& c) const { return norm(x, FormSum::no, c).normed; }
  Result of_sum(const Residual& x, Context& c) const { return norm(x, FormSum::yes, c); }

 private:
  Result norm(const Residual& x, FormSum form_sum, Context& c) const;

  Tensor normed(const Tensor& x, Context& c) const;

  Parameter weight_, bias_;                    // bias_ stays empty for rms
  Parameter running_mean_, running_variance_;  // of batch alone
  NormKind kind_;
  float epsilon_;
};

enum class NormPosition : std::uint8_t { post, pre };
constexpr std::array<std::string_view, 2> enum_names(NormPosition) { return {"post", "pre"}; }

struct ResidualNormOptions {
  NormPosition position = NormPosition::post;
  double dropout = 0.0;
  NormKind kind = NormKind::layer;
  float epsilon = kNormEpsilon;
  bool residual = true;  // false: LN(Dropout(f(x))) or Dropout(f(LN(x))), for comparison
};

// The residual connection around a sub-layer f, and its norm:
//   post   LN(x + Dropout(f(x)))      §3.1, §5.4: the paper
//   pre    x + Dropout(f(LN(x)))      Xiong et al. 2020: trains without a long warm-up
// Before f the residual stream branches, after it the two branches are merged:
//   const ResidualBranch b = norm.branch(std::move(x), c);
//   return norm.merge(b, f(b.input, c), c);
struct ResidualBranch {
  Ragged stream, input;  // x; and what f reads: x or LN(x)
};

class ResidualNormLayer : public LayerNorm {
 public:
  ResidualNormLayer(std::int64_t d_model, const ResidualNormOptions& options)
      : LayerNorm(d_model, options.kind, options.epsilon),
        position_(options.position),
        dropout_(options.dropout),
        has_residual_(options.residual) {}

  // Takes x by value: move it in, so that what has been added up is not kept while f runs.
  ResidualBranch branch(Residual x, Context& c) const;
  Residual merge(const ResidualBranch& b, SubLayerResult r, Context& c) const;

 private:
  NormPosition position_;
  double dropout_;
  bool has_residual_;
};

}  // namespace yona
