// What every attention variant is: a map of queries, keys and values of all heads to the heads'
// outputs. Each variant is a type in a file of its own, behind this one call.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "yona/nn/module.h"
#include "yona/nn/rotary.h"
#include "yona/tensor/ops/cached_attention.h"
#include "yona/tensor/ops/join_columns.h"
#include "yona/tensor/ragged.h"

namespace yona {

struct HeadShape {
  std::int64_t heads = 8;
  std::int64_t d_k = 64;
  std::int64_t d_v = 64;
  // Heads of keys and values, each read by heads / kv_heads of queries (grouped-query attention,
  // Ainslie et al. 2023; one for all: multi-query, Shazeer 2019). 0: as many as heads.
  std::int64_t kv_heads = 0;

  std::int64_t queries() const { return heads * d_k; }  // columns of Q
  std::int64_t keys() const { return (kv_heads > 0 ? kv_heads : heads) * d_k; }
  std::int64_t values() const { return (kv_heads > 0 ? kv_heads : heads) * d_v; }
};

// Which keys a query sees, and what is added to its scores.
struct Sight {
  Mask mask = Mask::none;
  Tensor bias{};  // [heads, 2R+1] by distance; optional

  // NOLINTNEXTLINE(google-explicit-constructor): a mask alone says what is seen
  Sight(Mask seen, Tensor added = {}) : mask(seen), bias(std::move(added)) {}
};

class AttentionMechanism : public Module {
 public:
  AttentionMechanism(const HeadShape& shape, double dropout) : shape_(shape), dropout_(dropout) {}

  // Q [T_q, h·d_k], K [T_k, h'·d_k], V [T_k, h'·d_v] → [T_q, h·d_v], within each sentence; h' is
  // the number of heads of keys and values.
  virtual Ragged operator()(const Ragged& Q, const Ragged& K, const Ragged& V, const Sight& sight,
                            Context& c) const = 0;
  // The same for one query in each row of Q [rows, h·d_k] over the rows of a cache: → [rows,
  // h·d_v].
  virtual Tensor operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                            Context& c) const = 0;
  // The rows that a cache keeps of K and V.
  virtual Tensor cached(const Tensor& K, const Tensor& V, Context& c) const {
    return join_columns(K, V, c);
  }
  // The weights that the call multiplies V with, as attention_weights() lays them out.
  virtual Tensor weights(const Ragged& Q, const Ragged& K, const Sight& sight,
                         Context& c) const = 0;

 protected:
  AttentionOptions options(const Sight& sight, float scale, Context& c) const {
    return {.heads = shape_.heads,
            .kv_heads = shape_.kv_heads,
            .d_k = shape_.d_k,
            .d_v = shape_.d_v,
            .scale = scale,
            .mask = sight.mask,
            .prefix = {},
            .bias = sight.bias,
            .dropout = c.dropout(dropout_, stream())};
  }

  HeadShape shape_;
  double dropout_;
};

// scaled, unscaled and additive are exact: they see all keys that the mask allows. The next four
// see some (sparse.h), linformer sees sums of them (linformer.h), reformer those that are hashed
// alike (reformer.h). performer sees all, by approximated scores (performer.h). lambda has no
// scores (lambda.h).
enum class AttentionKind : std::uint8_t {
  scaled,
  unscaled,
  additive,
  window,
  dilated,
  blocks,
  sparse,
  linformer,
  performer,
  lambda,
  reformer
};
constexpr std::array<std::string_view, 11> enum_names(AttentionKind) {
  return {"scaled", "unscaled",  "additive",  "window", "dilated", "blocks",
          "sparse", "linformer", "performer", "lambda", "reformer"};
}
inline bool is_exact(AttentionKind kind) { return kind <= AttentionKind::additive; }

// What attention that is not exact sees.
struct AttentionSizes {
  std::int64_t window = 0;    // keys of window, dilated and lambda
  std::int64_t dilation = 4;  // of dilated: tokens from one key to the next
  std::int64_t block = 64;    // of blocks and sparse: tokens
  std::int64_t global_blocks =
      1;  // of sparse: blocks at the beginning that see and are seen by all
  std::int64_t random_blocks = 2;     // of sparse, for each block of queries
  std::int64_t projected_keys = 128;  // of linformer
  std::int64_t features = 256;        // of performer
  std::int64_t hashes = 4;            // of reformer: rounds of hashing
  std::int64_t buckets = 32;          // of reformer, in each round
  std::int64_t chunk = 64;            // of reformer: tokens of a bucket

  bool operator==(const AttentionSizes&) const = default;
};

// What multi-head attention does with its heads.
struct AttentionSpec {
  AttentionKind kind = AttentionKind::scaled;
  double dropout = 0.0;  // of the attention weights; none in the paper
  // Turns queries and keys of self-attention by their positions; owned by the model.
  const RotaryPositions* rotary = nullptr;
  // Of an RMS norm of each head's queries and keys in self-attention, before they are turned
  // (Henry et al. 2020; Qwen3); 0: none.
  double qk_norm_epsilon = 0.0;
  AttentionSizes sizes{};
  std::int64_t longest = 0;  // sentence that linformer can take

  // For attention to another sequence, which is exact: positions of two sequences have no common
  // measure.
  AttentionSpec across() const {
    AttentionSpec spec = *this;
    spec.kind = is_exact(kind) ? kind : AttentionKind::scaled;
    return spec;
  }
};

std::unique_ptr<AttentionMechanism> make_attention(const AttentionSpec& spec,
                                                   const HeadShape& shape);

}  // namespace yona
