#include "yona/nn/attention/reformer.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "yona/base/random.h"
#include "yona/tensor/ops/rms_norm.h"

namespace yona {

namespace {

constexpr float kLengthEpsilon = 1e-12F;  // of a key's mean square

// Numbers of a normal distribution, as the layer's name gives them.
std::vector<double> drawn_rotations(std::int64_t count, std::uint64_t key) {
  RandomSequence random(key);
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (double& number : numbers) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
    number = radius * std::cos(2.0 * std::numbers::pi * random.uniform());
  }
  return numbers;
}

// A constant tensor of f32 or f64 numbers.
Tensor uploaded(const std::vector<double>& values, const Shape& shape, DType dtype, Context& c) {
  Tensor tensor = c.empty(dtype, shape);
  if (dtype == DType::f64) {
    tensor.upload(values);
  } else {
    check<NotImplemented>(dtype == DType::f32,
                          "attention: the weights of reformer are computed in f32, not in {}",
                          dtype);
    tensor.upload(std::vector<float>(values.begin(), values.end()));
  }
  return tensor;
}

std::vector<double> downloaded(const Tensor& tensor) {
  if (tensor.dtype() == DType::f64) {
    return tensor.to_vector<double>();
  }
  const std::vector<float> values = tensor.to_vector<float>();
  return {values.begin(), values.end()};
}

Tensor rows_of_heads(const Tensor& x, std::int64_t heads) {
  return x.reshape(Shape{x.rows() * heads, x.cols() / heads});
}

}  // namespace

ReformerAttention::ReformerAttention(const HeadShape& shape, const AttentionSpec& spec)
    : AttentionMechanism(shape, spec.dropout), sizes_(spec.sizes) {
  check(spec.dropout == 0.0,
        "model.attention_dropout: the attention reformer drops no weights; set "
        "it to 0");
  const std::int64_t rows = sizes_.hashes * sizes_.buckets / 2;
  rotations_ = {.shape = {rows, shape.d_k}, .values = [this, rows] {
                  return drawn_rotations(rows * shape_.d_k, hash_name(path()));
                }};
  unit_ = {.shape = {shape.d_k}, .values = [this] {
             const auto width = static_cast<std::size_t>(shape_.d_k);
             return std::vector<double>(width, 1.0 / std::sqrt(static_cast<double>(width)));
           }};
  add(rotations_);
  add(unit_);
}

LshOptions ReformerAttention::lsh_options(const Sight& sight) const {
  check(!sight.bias && sight.mask != Mask::prefix,
        "attention: reformer takes neither relative positions nor a prefix");
  return {.heads = shape_.heads,
          .rounds = sizes_.hashes,
          .buckets = sizes_.buckets,
          .chunk = sizes_.chunk,
          .scale = 1.0F / std::sqrt(static_cast<float>(shape_.d_k)),
          .causal = sight.mask == Mask::causal};
}

// k = q / |q|, of each head
Tensor ReformerAttention::keys(const Tensor& Q, Context& c) const {
  return rms_norm(rows_of_heads(Q, shape_.heads), unit_.value, kLengthEpsilon, c);  // [T·h, d_k]
}

Ragged ReformerAttention::operator()(const Ragged& Q, const Ragged& /*K*/, const Ragged& V,
                                     const Sight& sight, Context& c) const {
  const LshOptions options = lsh_options(sight);
  const Tensor q = rows_of_heads(Q.values, shape_.heads);               // [T·h, d_k]
  const Tensor v = rows_of_heads(V.values, shape_.heads);               // [T·h, d_v]
  const Tensor buckets = lsh_buckets(q, rotations_.value, options, c);  // [T·h, hashes]
  return Q.with(lsh_attention(q, keys(Q.values, c), v, buckets, Q.layout, options, c)
                    .reshape(Shape{Q.values.rows(), shape_.heads * shape_.d_v}));  // [T, h·d_v]
}

Tensor ReformerAttention::cached(const Tensor& Q, const Tensor& V, Context& c) const {
  const Tensor q = rows_of_heads(Q, shape_.heads);
  const Tensor buckets = lsh_buckets(q, rotations_.value, lsh_options(Mask::causal), c);
  const Tensor key_and_value = join_columns(keys(Q, c), rows_of_heads(V, shape_.heads), c);
  const Tensor rows = join_columns(key_and_value, buckets, c);  // [T·h, d_k + d_v + hashes]
  return rows.reshape(Shape{Q.rows(), shape_.heads * rows.cols()});
}

Tensor ReformerAttention::operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                                     Context& c) const {
  return cached_lsh_attention(rows_of_heads(Q, shape_.heads), cache, shape_.d_v, lsh_options(sight),
                              c)
      .reshape(Shape{Q.rows(), shape_.heads * shape_.d_v});  // [rows, h·d_v]
}

// The weights are what the values of a sentence become where token j has the j-th unit vector.
std::vector<double> ReformerAttention::weights_of(const Tensor& Q, const LshOptions& options,
                                                  Context& c) const {
  const auto h = static_cast<std::size_t>(shape_.heads);
  const auto n = static_cast<std::size_t>(Q.rows());
  std::vector<double> units(n * h * n, 0.0);
  for (std::size_t row = 0; row < n * h; ++row) {
    units[row * n + row / h] = 1.0;
  }
  const Tensor q = rows_of_heads(Q, shape_.heads);
  const Tensor v = uploaded(units, Shape{q.rows(), Q.rows()}, Q.dtype(), c);
  const Tensor buckets = lsh_buckets(q, rotations_.value, options, c);
  const auto layout = make_layout(std::vector<std::int64_t>{0, Q.rows()}, {}, c.region);
  const std::vector<double> rows =
      downloaded(lsh_attention(q, keys(Q, c), v, buckets, layout, options, c));  // [n·h, n]
  std::vector<double> weights;                                                   // [h, n, n]
  for (std::size_t head = 0; head < h; ++head) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = rows.begin() + static_cast<std::ptrdiff_t>((i * h + head) * n);
      weights.insert(weights.end(), row, row + static_cast<std::ptrdiff_t>(n));
    }
  }
  return weights;
}

Tensor ReformerAttention::weights(const Ragged& Q, const Ragged& /*K*/, const Sight& sight,
                                  Context& c) const {
  const auto offsets = Q.layout->offsets.to_vector<std::int64_t>();
  Context quiet = c;
  quiet.tape = nullptr;
  std::vector<double> all;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const std::vector<double> some = weights_of(
        Q.values.row_range(offsets[s], offsets[s + 1] - offsets[s]), lsh_options(sight), quiet);
    all.insert(all.end(), some.begin(), some.end());
  }
  return uploaded(all, Shape{1, static_cast<std::int64_t>(all.size())}, Q.values.dtype(), c);
}

}  // namespace yona
