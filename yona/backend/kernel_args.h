// What each kernel is given. The meaning of every kernel is its plain loop in backend/reference.
//
// Conventions: matrices are row-major Views with a row stride; `accumulate` adds to the output
// instead of overwriting it; an empty View means "not there"; row keys are the logical identities
// of rows that dropout counts by (see dropout.h); index arrays are i32, offsets i64.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "yona/backend/attention_pattern.h"
#include "yona/backend/dropout.h"
#include "yona/backend/length_classes.h"
#include "yona/backend/view.h"

namespace yona {

enum class Activation : std::uint8_t { none, relu };
// Of the operands of matrix products. f16 is for inference on GPUs.
enum class Precision : std::uint8_t { f32, bf16, f16 };
constexpr std::array<std::string_view, 3> enum_names(Precision) { return {"f32", "bf16", "f16"}; }

// c = op(a) · op(b) (+ c) (+ bias in every row), then the activation.
// With Precision::bf16 operands are f32, and rounded by the kernel, or have been rounded before: a
// bf16 operand whose rows are tokens is followed by zeros up to a multiple of kRoundedRows rows.
inline constexpr std::int64_t kRoundedRows = 64;
struct MatmulArgs {
  View a{}, b{}, c{};
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;
  View bias{};  // [1, n]
  Activation activation = Activation::none;
  Precision precision = Precision::f32;
};

// y = x rounded to bf16 (or, on a GPU, to f16); rows of y after those of x become zero.
struct RoundArgs {
  View x{};  // f32
  View y{};  // bf16 or f16, contiguous
};

// Weights [n, k] that stay as they are while they are multiplied with can be put, in place, into
// the order in which a product reads them: panels of kPanelRows rows (the last one may have fewer),
// each of them transposed, [k][rows of the panel]. Contiguous.
inline constexpr std::int64_t kPanelRows = 64;
struct PackArgs {
  View weights{};
};

// y = activation(x · weightsᵀ + bias) with packed weights [n, k]. A row of y depends on its row of
// x alone, not on how many rows there are: the same bits come out of any batch.
struct PackedMatmulArgs {
  View x{}, weights{}, y{};
  View bias{};  // [1, n], optional
  Activation activation = Activation::none;
};

// Weights [n, k] once more in a quarter of the memory, to see quickly where a product is largest:
// row r is about scales[r] · values[r], and for any x the product with one differs from that with
// the other by at most errors[r] · ‖x‖, rounding in f32 included.
struct Screen {
  View values{};  // i8 [panels, k · kPanelRows]: packed, the last panel filled with zeros
  View scales{}, errors{};  // f32 [1, n]
};
struct ScreenArgs {
  View weights{};  // packed
  Screen screen{};
};

// y = x · weightsᵀ as far as it takes to know the largest elements of each row: those that may be
// among them have the bits that packed_matmul gives; the others are smaller than all of them, and
// off by at most their error · ‖x‖.
inline constexpr std::int64_t kMostScreened = 8;
struct ScreenedMatmulArgs {
  View x{}, weights{}, y{};  // weights packed
  Screen screen{};
  std::int64_t largest = 1;  // how many to know: at most kMostScreened
};

// Weights [n, k] in bytes: row r is about scales[r] · its values. They lie in panels of kPanelRows
// rows (zeros in those that the last one has not), in each of which kInt8Group adjacent elements of
// one row stand beside those of the next: [⌈k / kInt8Group⌉][row of the panel][kInt8Group], with
// zeros after the k-th (see panels.h). Rows whose elements are not all numbers have a scale of NaN.
inline constexpr std::int64_t kInt8Group = 4;
struct Int8Weights {
  View values{};  // i8 [panels, elements of a panel]
  View scales{};  // f32 [1, panels · kPanelRows], zeros after the n-th
  View sums{};    // i32 likewise: the sum of each row's values
};

// to ← weights: scale = largest |w| of the row / 127, value = w / scale rounded to nearest even.
struct QuantiseArgs {
  View weights{};  // f32 [n, k]
  Int8Weights to{};
};

// y = activation(x̂ · weightsᵀ + bias), where x̂ is each row of x rounded to bytes as rows of weights
// are. The sum over k is one of integers and exact: a row's bits depend on that row alone. A row of
// x with an element that is not a number gives NaN.
struct Int8MatmulArgs {
  View x{};  // f32 [rows, k]
  Int8Weights weights{};
  View y{};     // f32 [rows, n]
  View bias{};  // f32 [1, n], optional
  Activation activation = Activation::none;
};

// dy ← dy ∘ [y > 0] · scale for relu (in place); bias_gradient += column sums of the result.
struct BiasActivationBackwardArgs {
  View y{}, dy{};
  View bias_gradient{};  // [1, n], optional
  Activation activation = Activation::none;
  float scale = 1.0F;  // of dropout after the activation: y > 0 exactly where it was kept
};

// dz = (dy · weight) ∘ [y > 0] · scale: the gradient behind a relu, with dropout after it, whose
// results y went on into a product with weightᵀ. bias_gradient += column sums of dz. The plain
// composition is matmul and bias_activation_backward.
struct ReluGradientProductArgs {
  View dy{}, weight{};   // [rows, k] and [k, n], as operands of matmul
  View y{}, dz{};        // [rows, n]
  View bias_gradient{};  // [1, n], optional
  float scale = 1.0F;
  Precision precision = Precision::f32;

  MatmulArgs product() const { return {.a = dy, .b = weight, .c = dz, .precision = precision}; }
  BiasActivationBackwardArgs gradient() const {
    return {.y = y,
            .dy = dz,
            .bias_gradient = bias_gradient,
            .activation = Activation::relu,
            .scale = scale};
  }
};

// dw (+)= dyᵀ · x, for several weights at once: a sum over tokens. No dw overlaps another. The
// plain composition is one matmul after another.
struct WeightGradient {
  View dy{}, x{};  // [tokens, rows of dw] and [tokens, its columns], as operands of matmul
  View dw{};
  bool accumulate = false;

  MatmulArgs product(Precision precision) const {
    return {.a = dy,
            .b = x,
            .c = dw,
            .transpose_a = true,
            .accumulate = accumulate,
            .precision = precision};
  }
};
struct WeightGradientsArgs {
  std::span<const WeightGradient> products;
  Precision precision = Precision::f32;
};

// What a kernel for several weights at once has its work in: tiles of dw, of which it computes so
// many at a time (Backend::weight_gradient_tiles()). They come in pairs, one below the other.
inline constexpr std::int64_t kWeightGradientRows = 256, kWeightGradientCols = 256;
constexpr std::int64_t weight_gradient_tiles(std::int64_t rows, std::int64_t cols) {
  return 2 * ((rows + kWeightGradientRows - 1) / kWeightGradientRows) *
         ((cols + kWeightGradientCols - 1) / kWeightGradientCols);
}

// y = residual + dropout(x);  without a residual also its own backward. y may be x.
struct DropoutArgs {
  View x{}, y{};
  const std::uint64_t* row_keys = nullptr;
  Dropout dropout{};
  bool accumulate = false;
  View residual{};  // optional
};

// y = dropout(scale · table[ids] + positions[position]); rows of `padding_id` take zero for the
// table's part and give it no gradient.
struct EmbedArgs {
  const std::int32_t* ids = nullptr;
  const std::int32_t* position_ids = nullptr;
  const std::uint64_t* row_keys = nullptr;
  View table{}, positions{};  // positions optional
  bool packed = false;        // the table is packed (PackArgs); forward only
  Int8Weights int8{};         // instead of the table; forward only
  View y{};                   // forward: output; backward: its gradient
  float scale = 1.0F;
  std::int32_t padding_id = -1;
  Dropout dropout{};
};

// The gradients are added: table_gradient[ids] += scale · mask ∘ dy, position_gradient likewise.
// Sums over equal ids run in row order.
struct EmbedBackwardArgs {
  EmbedArgs forward{};
  View table_gradient{}, position_gradient{};  // each optional
};

// y[i] = x[rows[i]].
struct GatherRowsArgs {
  View x{}, y{};
  const std::int32_t* rows = nullptr;  // [y.rows]
};

// dx[rows[i]] (+)= dy[i]: sums over equal rows run in order of i; rows that nothing is gathered
// from become zero unless added to.
struct GatherRowsBackwardArgs {
  View dy{}, dx{};
  const std::int32_t* rows = nullptr;  // [dy.rows]
  bool accumulate = false;
};

// Each sequence of y is all rows of `first`, and then the sequence of x. `offsets` are those of x.
struct PrependRowsArgs {
  View x{}, first{}, y{};  // y has x.rows + sequences · first.rows rows
  const std::int64_t* offsets = nullptr;
  std::int64_t sequences = 0;
};

// dx (+)= its rows of dy;  dfirst += the others, in the order of sequences.
struct PrependRowsBackwardArgs {
  View dy{}, dx{}, dfirst{};  // dx, dfirst optional
  std::int64_t first_rows = 1;
  const std::int64_t* offsets = nullptr;  // of x
  std::int64_t sequences = 0;
  bool accumulate_dx = false;
};

// y[s] = the mean of rows offsets[s] … offsets[s+1]-1 of x; zero for none.
// Backward, with y and x for their gradients: x[t] (+)= y[s] / rows of s.
struct SegmentMeanArgs {
  View x{}, y{};
  const std::int64_t* offsets = nullptr;
  std::int64_t segments = 0;
  bool accumulate = false;  // backward
};

// Rotary position embedding (Su et al. 2021), in place, on rows of x.cols / d_k heads. In each head
// channel i and channel i + r/2, for i < r/2, are turned by an angle (the order in which Hugging
// Face stores Llama, "rotate half"); channels from r on stay. Row t of x is at positions[t], and
//   table[position] = cos of its r/2 angles, then their sines.
struct RotaryArgs {
  View x{};      // [rows, heads · d_k]
  View table{};  // [positions, r], f32 unless x is f64
  const std::int32_t* positions = nullptr;
  std::int64_t d_k = 0;
  bool inverse = false;  // turns back: the gradient
};

// s = x + dropout(r);  y = (s - mean) · rstd · weight + bias, per row.
// x alone (no r): plain layer normalisation, s is then x and not written.
struct ResidualNormArgs {
  View x{}, r{}, s{}, y{};  // s may be r
  View weight{}, bias{};    // [1, d]
  View statistics{};        // [rows, 2]: mean and 1/√(variance + epsilon)
  float epsilon = 1e-5F;
  const std::uint64_t* row_keys = nullptr;
  Dropout dropout{};
};

// From dy and (optionally) ds, the gradient that reached s by another path:
//   x̂ = (s - mean) · rstd;  g = dy ∘ weight
//   total = rstd · (g - mean(g) - x̂ · mean(g ∘ x̂)) + ds
//   dx (+)= total;  dr (+)= mask ∘ total;  dweight += Σ dy ∘ x̂;  dbias += Σ dy
// and, where Kernel::gradient_sums says so, dr_sums += Σ dr.
struct ResidualNormBackwardArgs {
  ResidualNormArgs forward{};  // s, weight, statistics, row_keys and dropout are read
  View dy{}, ds{};             // ds optional
  View dx{}, dr{};             // each optional
  bool accumulate_dx = false;
  bool accumulate_dr = false;
  View dweight{}, dbias{};  // each optional
  View dr_sums{};           // optional; dr is then there, and not added to
};

// s = x + a · weightᵀ + bias;  y = the layer normalisation of s: what ends a sub-layer, and the
// norm behind it, in a pass that has no backward. The plain composition is matmul and
// residual_norm. The contents of `workspace` and
// `statistics` on return are unspecified.
struct LinearNormArgs {
  View a{}, weight{};               // [rows, k] and [n, k], as operands of matmul
  View bias{};                      // [1, n], optional
  View x{}, s{}, y{};               // [rows, n]; s optional
  View norm_weight{}, norm_bias{};  // [1, n]
  View workspace{};                 // [rows, n]
  View statistics{};                // [rows, 2]
  float epsilon = 1e-5F;
  Precision precision = Precision::f32;

  MatmulArgs product() const {
    return {.a = a,
            .b = weight,
            .c = workspace,
            .transpose_b = true,
            .bias = bias,
            .precision = precision};
  }
  ResidualNormArgs norm() const {
    return {.x = x,
            .r = workspace,
            .s = s ? s : workspace,
            .y = y,
            .weight = norm_weight,
            .bias = norm_bias,
            .statistics = statistics,
            .epsilon = epsilon};
  }
};

// y = x · rstd ∘ weight, rstd = 1/√(mean(x²) + epsilon), per row (Zhang and Sennrich 2019).
struct RmsNormArgs {
  View x{}, y{};
  View weight{};      // [1, d]
  View statistics{};  // [rows, 1]: rstd
  float epsilon = 1e-6F;
};

// g = dy ∘ weight, x̂ = x · rstd:  dx (+)= rstd · (g - x̂ · mean(g ∘ x̂));  dweight += Σ dy ∘ x̂
struct RmsNormBackwardArgs {
  RmsNormArgs forward{};  // x, weight and statistics are read
  View dy{}, dx{};        // dx optional
  bool accumulate_dx = false;
  View dweight{};  // optional
};

// y[h, r] = table[buckets[r], h]: what a head adds to its scores at each distance, from a table by
// buckets of distances. The gradient is added: dtable[buckets[r], h] += dy[h, r], in order of r.
struct BucketBiasArgs {
  const std::int32_t* buckets = nullptr;  // [y.cols]
  View table{};                           // [buckets, heads]; backward: its gradient
  View y{};                               // [heads, distances]; backward: its gradient
};

enum class Mask : std::uint8_t { none, causal, prefix };

// For every sentence s and head: out = dropout(softmax(scale · q kᵀ + bias, masked)) v.
// Sentence s has queries [q_offsets[s], q_offsets[s+1]) and keys likewise; nothing else is seen.
// Causal: key j is seen by query i when j ≤ i + (keys - queries). Prefix: also when j < prefix[s].
// A query that sees no key gives zero and a log-sum of -infinity.
// bias [heads, 2R+1] is added by distance j - i' clipped to [-R, R], i' = i + (keys - queries).
// Grouped-query attention (Ainslie et al. 2023): k and v have fewer heads, h' = heads /
// heads_per_kv, and query head n reads head n / heads_per_kv of theirs.
struct AttentionArgs {
  View q{}, k{}, v{};  // [T_q, h·d_k], [T_k, h'·d_k], [T_k, h'·d_v]
  View out{};          // [T_q, h·d_v]
  View lse{};          // [T_q, h]: log of the softmax's denominator, in the input's type
  const std::int64_t* q_offsets = nullptr;
  const std::int64_t* k_offsets = nullptr;
  std::int64_t sentences = 0;
  std::int64_t longest_q = 0;
  std::int64_t longest_k = 0;
  LengthClasses lengths_q = kAnyLengths;  // of the sentences, if they were counted
  LengthClasses lengths_k = kAnyLengths;
  std::int64_t heads = 1;
  std::int64_t heads_per_kv = 1;
  std::int64_t d_k = 0;
  std::int64_t d_v = 0;
  float scale = 1.0F;
  Mask mask = Mask::none;
  const std::int64_t* prefix = nullptr;  // [sentences], with Mask::prefix
  AttentionPattern pattern{};            // optional: sees fewer keys; not with additive scores
  View bias{};                           // optional
  const std::uint64_t* q_keys = nullptr;
  Dropout dropout{};
  // Backend::keep_mask_bytes(), optional: dropout's decisions, which forward leaves here
  // so that backward need not make them again.
  std::uint32_t* keep_mask = nullptr;

  std::int64_t kv_head(std::int64_t head) const { return head / heads_per_kv; }
};

struct AttentionBackwardArgs {
  AttentionArgs forward{};  // with out, lse and decisions as the forward pass left them
  View dout{};
  View dq{}, dk{}, dv{};
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  View dbias{};  // optional, added to
  // The sums over the rows of dq and dv, added to, where Kernel::gradient_sums says so: each
  // optional, and there only when its gradient is written, not added to. Those of dk are zero: what
  // is added to all keys adds the same to all scores of a query.
  View dq_sums{}, dv_sums{};
};

// The same with scores eᵢⱼ = Σ_c vector[head, c] · tanh(q[i, head, c] + k[j, head, c])
// (Bahdanau et al. 2015); `attention.scale` and `attention.bias` are unused.
struct AdditiveAttentionArgs {
  AttentionArgs attention{};
  View vector{};  // [heads, d_k]
};

struct AdditiveAttentionBackwardArgs {
  AttentionBackwardArgs attention{};
  View vector{}, dvector{};  // dvector is added to
};

// Incremental decoding: one query in each row of q, over rows of k and v that a cache has
// collected. Row r sees counts[r] of them: table[r · table_stride + j] for j = 0, 1, …, or, without
// a table, first[r] + j. out = softmax(scores) v per head, where scores are scale · q·k, or those
// of additive attention when there is a vector. A row that sees nothing gives zero.
// With `fresh`, the keys and values of this step, row r of it is first put at places[r] of the
// cache, and seen last; a row with a place of -1 has none, and sees nothing.
// bias [heads, 2R+1] is added to the scores by the distance from the last that is seen, clipped to
// [-R, R].
// heads_per_kv as in AttentionArgs.
struct CachedAttentionArgs {
  View q{}, k{}, v{};  // [rows, h·d_k], [N, h'·d_k], [N, h'·d_v]
  View out{};          // [rows, h·d_v]
  const std::int32_t* table = nullptr;
  std::int64_t table_stride = 0;
  const std::int64_t* first = nullptr;
  const std::int32_t* counts = nullptr;
  std::int64_t heads = 1;
  std::int64_t heads_per_kv = 1;
  std::int64_t d_k = 0;
  std::int64_t d_v = 0;
  float scale = 1.0F;
  View vector{};                         // [heads, d_k], optional
  View fresh{};                          // [rows, h'·d_k + h'·d_v], optional, with
  const std::int32_t* places = nullptr;  // [rows]
  View bias{};                           // optional
  AttentionPattern pattern{};            // optional: of a query at the position of the last key

  std::int64_t kv_head(std::int64_t head) const { return head / heads_per_kv; }
};

// The best continuations of each group of rows (the beams of a sentence). The score of token t
// after row r is row_scores[r] + logits[r, t] - log_sums[r], log_sums[r] = log Σ exp(logits[r, ·]).
// Tokens ban_offsets[r] … ban_offsets[r+1]-1 of `bans` are none of the row's candidates, and count
// in its sum unless `bans_first`. A row with only[r] ≥ 0 has that candidate alone, banned or not.
// Candidates come best first, equal ones by row and token; places for which there is none, or none
// with a probability, have a score of -infinity and a token of -1. Banned logits become -infinity.
struct TopKArgs {
  View logits{};                         // [rows, V]
  const float* row_scores = nullptr;     // [rows]
  const std::int64_t* groups = nullptr;  // [sentences + 1]: rows of each
  std::int64_t sentences = 0;
  const std::int64_t* ban_offsets = nullptr;  // [rows + 1], optional
  const std::int32_t* bans = nullptr;
  bool bans_first = false;
  const std::int32_t* only = nullptr;  // [rows], optional
  bool normalised = false;             // logits are log-probabilities: log_sums are 0, or NaN
  View scores{};                       // f32 [sentences, k]
  View tokens{}, rows{};               // i32 [sentences, k]
  // f32 [1, rows]; NaN where a logit is NaN or +infinity. Not written where the score is -infinity.
  View log_sums{};
};

// top_k of the logits x̂ · weightsᵀ (Int8MatmulArgs), which are never in memory all at once. They
// are int8_matmul's in every bit; log_sums, which are added up in blocks, are top_k's up to
// rounding.
struct Int8TopKArgs {
  View x{};  // f32 [rows, k]
  Int8Weights weights{};
  TopKArgs top_k{};  // of logits only the sizes are read
};

// top_k of logits and the product that they come from, in memory as well. The product begins where
// they do and may have columns after theirs, which need not be written. logits are the product's up
// to rounding, and so are log_sums.
struct LogitsTopKArgs {
  MatmulArgs product{};
  TopKArgs top_k{};
};

// The weights themselves, before dropout, for looking inside: what out is the product of with v.
// Sentences one after another, each [heads, queries, keys]; zero where a query does not see a key.
struct AttentionWeightsArgs {
  AttentionArgs attention{};  // v, out, lse and dropout are unused
  View weights{};             // [1, Σ heads · queries · keys of the sentences]
};

struct AdditiveAttentionWeightsArgs {
  AttentionWeightsArgs attention{};
  View vector{};  // [heads, d_k]
};

// Per row: with logits z, p = softmax(z), V columns, target t and smoothing ε,
//   q = (1-ε)·onehot(t) + ε/V;  loss = -Σ q log p;  nll = -log p_t;
// with `gradient`, z ← (p - q) · row_scale in place. losses [rows, 2] gets loss and nll.
struct CrossEntropyArgs {
  View logits{};
  const std::int32_t* targets = nullptr;
  const float* row_scale = nullptr;
  View losses{};
  float smoothing = 0.0F;
  bool gradient = false;
};

// R-Drop (Wu et al. 2021): two passes over the same rows. On top of the two cross-entropies,
//   kl = ½ (KL(p‖p') + KL(p'‖p)), weighted by alpha, is added to the loss of the first's row
// and to both gradients.
struct RDropArgs {
  CrossEntropyArgs first{}, second{};
  float alpha = 0.0F;
};

struct RowsArgs {  // softmax, log_softmax, gelu, silu, tanh, sigmoid: y from x row by row
  View x{}, y{};
};
// dx (+)= f'(…) dy; `saved` is y for softmax kinds, tanh and sigmoid, else x
struct RowsBackwardArgs {
  View saved{}, dy{}, dx{};
  bool accumulate = false;
};

// x Φ(x), or by its formula with tanh.
enum class GeluForm : std::uint8_t { exact, tanh };

// dz = (dy · weight) ∘ gelu'(z): the gradient behind a GELU whose results went on into a product
// with weightᵀ. bias_gradient += column sums of dz. The plain composition is matmul, gelu_backward
// (or gelu_tanh_backward) and the sums of bias_activation_backward.
struct GeluGradientProductArgs {
  View dy{}, weight{};   // [rows, k] and [k, n], as operands of matmul
  View z{}, dz{};        // [rows, n]
  View bias_gradient{};  // [1, n], optional
  GeluForm form = GeluForm::exact;
  Precision precision = Precision::f32;

  MatmulArgs product() const { return {.a = dy, .b = weight, .c = dz, .precision = precision}; }
  RowsBackwardArgs slope() const { return {.saved = z, .dy = dz, .dx = dz}; }
  BiasActivationBackwardArgs sums() const {
    return {.y = {}, .dy = dz, .bias_gradient = bias_gradient};
  }
};

struct AddArgs {  // y = alpha · a + beta · b; b optional
  View a{}, b{}, y{};
  float alpha = 1.0F;
  float beta = 1.0F;
};

struct MultiplyArgs {  // y (+)= a ∘ b; y may be a or b
  View a{}, b{}, y{};
  bool accumulate = false;
};

struct LogAddArgs {  // y = log(e^a + e^b) + shift: the sum of probabilities; y may be a or b
  View a{}, b{}, y{};
  float shift = 0.0F;
};

struct FillArgs {
  View y{};
  float value = 0.0F;
};

// out[0] = Σ x² in double, over fixed slices in a fixed order; NaN and infinity carry through.
struct SquaredNormArgs {
  View x{};
  double* out = nullptr;
};

// Adam on one flat range, with everything that happens to a weight in an update in one pass:
//   g = gradient · clip;  m = β1 m + (1-β1) g;  v = β2 v + (1-β2) g²
//   w -= rate · (m / correction1) / (√(v / correction2) + ε) + rate · decay · w
//   average = ema · average + (1-ema) · w          (when there)
// clip = min(1, clip_norm / √squared_norm), 1 when clip_norm is 0. When *squared_norm is not
// finite, nothing at all is changed.
struct AdamArgs {
  View weights{}, gradients{}, m{}, v{};
  View average{};  // optional
  View rounded{};  // optional: the new weights in bf16, as products read them
  const double* squared_norm = nullptr;
  float clip_norm = 0.0F;
  float rate = 0.0F, beta1 = 0.9F, beta2 = 0.98F, epsilon = 1e-9F, decay = 0.0F, ema = 0.0F;
  float correction1 = 1.0F, correction2 = 1.0F;
};

}  // namespace yona
