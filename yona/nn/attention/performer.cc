#include "yona/nn/attention/performer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "yona/base/random.h"

namespace yona {

namespace {

using Row = std::vector<double>;

// Box and Muller's transformation.
Row gaussian_row(std::int64_t width, RandomSequence& random) {
  Row row;
  for (std::int64_t c = 0; c < width; ++c) {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform()));
    row.push_back(radius * std::cos(2.0 * std::numbers::pi * random.uniform()));
  }
  return row;
}

double dot(const Row& a, const Row& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    sum += a[c] * b[c];
  }
  return sum;
}

// A direction at right angles to the others (Gram and Schmidt, twice, for accuracy).
Row orthogonal_direction(const std::vector<Row>& others, std::int64_t width,
                         RandomSequence& random) {
  Row row = gaussian_row(width, random);
  for (int time = 0; time < 2; ++time) {
    for (const Row& other : others) {
      const double along = dot(row, other);
      for (std::size_t c = 0; c < row.size(); ++c) {
        row[c] -= along * other[c];
      }
    }
  }
  const double length = std::sqrt(dot(row, row));
  for (double& element : row) {
    element /= length;
  }
  return row;
}

}  // namespace

std::vector<double> orthogonal_features(std::int64_t count, std::int64_t width, std::uint64_t key) {
  RandomSequence random(key);
  std::vector<double> features;
  std::vector<Row> directions;  // of this block
  for (std::int64_t r = 0; r < count; ++r) {
    if (r % width == 0) {
      directions.clear();
    }
    directions.push_back(orthogonal_direction(directions, width, random));
    const Row other = gaussian_row(width, random);
    const double length = std::sqrt(dot(other, other));
    for (const double element : directions.back()) {
      features.push_back(length * element);
    }
  }
  return features;
}

PerformerAttention::PerformerAttention(const HeadShape& shape, const AttentionSpec& spec)
    : AttentionMechanism(shape, spec.dropout) {
  check(spec.dropout == 0.0, "attention: performer has no weights to drop; set dropout to 0");
  features_ = {.shape = {spec.sizes.features, shape.d_k}, .values = [this] {
                 return orthogonal_features(features_.shape[0], shape_.d_k, stream());
               }};
  Module::add(features_);
}

AttentionOptions PerformerAttention::checked_options(const Sight& sight, Context& c) const {
  check(!sight.bias, "attention: performer takes no relative positions");
  return options(sight, 1.0F / std::sqrt(static_cast<float>(shape_.d_k)), c);
}

Ragged PerformerAttention::operator()(const Ragged& Q, const Ragged& K, const Ragged& V,
                                      const Sight& sight, Context& c) const {
  return Q.with(performer_attention(Q.values, K.values, V.values, features_.value, Q.layout,
                                    K.layout, checked_options(sight, c), c));  // [T, h·d_v]
}

Tensor PerformerAttention::operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                                      Context& c) const {
  return cached_performer_attention(Q, cache, features_.value, checked_options(sight, c),
                                    c);  // [rows, h·d_v]
}

Tensor PerformerAttention::weights(const Ragged& Q, const Ragged& K, const Sight& sight,
                                   Context& c) const {
  return performer_attention_weights(Q.values, K.values, features_.value, Q.layout, K.layout,
                                     checked_options(sight, c), c);
}

}  // namespace yona
