#include "yona/tensor/attention_cache.h"

#include <algorithm>

#include "yona/tensor/ops/gather_rows.h"

namespace yona {

namespace {

template <class T>
Tensor uploaded(const std::vector<T>& values, const Shape& shape, Region& region) {
  Tensor tensor(region, dtype_of<T>(), shape);
  tensor.upload(values);
  return tensor;
}

}  // namespace

void AttentionCache::begin_step(std::span<const std::int32_t> parents,
                                std::span<const std::int32_t> sentences) {
  const auto rows = static_cast<std::int64_t>(sentences.size());
  check(rows <= size_.rows && step_ + 1 < size_.steps,
        "attention cache: {} rows of step {} do not fit {} rows and {} steps", rows, step_ + 2,
        size_.rows, size_.steps);
  check(step_ < 0 || parents.size() == sentences.size(), "attention cache: {} parents of {} rows",
        parents.size(), rows);
  check(step_ < 0 || std::all_of(parents.begin(), parents.end(),
                                 [&](std::int32_t row) { return row >= 0 && row < rows_; }),
        "attention cache: a row descends from none of the {} rows of the step before", rows_);
  ++step_;
  rows_ = rows;
  next_self_ = next_cross_ = next_state_ = next_kept_ = 0;
  const std::span<const std::int32_t> from = step_ == 0 ? sentences : parents;
  origins_ = uploaded(std::vector<std::int32_t>(from.begin(), from.end()), Shape{rows}, region_);
  move_ancestors(parents);
  table_ = uploaded(ancestors_, Shape{rows, step_ + 1}, region_);
  table_counts_ =
      uploaded(std::vector<std::int32_t>(sentences.size(), static_cast<std::int32_t>(step_ + 1)),
               Shape{rows}, region_);
  if (step_ == 0 ||
      !std::equal(sentences.begin(), sentences.end(), sentences_.begin(), sentences_.end())) {
    sentences_.assign(sentences.begin(), sentences.end());
    memory_first_ = memory_counts_ = Tensor();
  }
}

// A row has the ancestors of its parent, and itself.
void AttentionCache::move_ancestors(std::span<const std::int32_t> parents) {
  moved_.clear();
  for (std::int64_t row = 0; row < rows_; ++row) {
    if (step_ > 0) {
      const auto from = ancestors_.begin() + parents[static_cast<std::size_t>(row)] * step_;
      moved_.insert(moved_.end(), from, from + step_);
    }
    moved_.push_back(static_cast<std::int32_t>(step_ * size_.rows + row));
  }
  std::swap(ancestors_, moved_);
}

CachedKeys AttentionCache::append(const Tensor& keys_and_values, Context& c) {
  check(keys_and_values.rows() == rows_, "attention cache: keys {} of a step with {} rows",
        keys_and_values.shape(), rows_);
  if (next_self_ == self_.size()) {
    check(step_ == 0, "attention cache: a layer joins at step {}", step_ + 1);
    self_.emplace_back(region_, keys_and_values.dtype(),
                       Shape{size_.steps * size_.rows, keys_and_values.cols()});
  }
  const Tensor& layer = self_[next_self_++];
  const Tensor place = layer.row_range(step_ * size_.rows, rows_);
  c.kernels().add({.a = keys_and_values.view(), .y = place.view()}, c.exec());
  return {.keys_and_values = layer, .counts = table_counts_, .table = table_};
}

CachedKeys AttentionCache::memory(const Layout& layout, const std::function<Tensor()>& make,
                                  Context& /*c*/) {
  if (next_cross_ == cross_.size()) {
    check(step_ == 0, "attention cache: a layer joins at step {}", step_ + 1);
    cross_.push_back(make());
  }
  if (!memory_first_) {
    find_memory_rows(layout);
  }
  return {
      .keys_and_values = cross_[next_cross_++], .counts = memory_counts_, .first = memory_first_};
}

Tensor AttentionCache::state(const std::function<Tensor()>& make, Context& c) {
  if (next_state_ == states_.size()) {
    check(step_ == 0, "attention cache: a layer joins at step {}", step_ + 1);
    states_.push_back(make());
  }
  return gather_rows(states_[next_state_++], origins_, c);
}

void AttentionCache::keep(const Tensor& state) {
  check(next_kept_ < next_state_ && state.rows() == rows_,
        "attention cache: state {} of a step with {} rows", state.shape(), rows_);
  states_[next_kept_++] = state;
}

void AttentionCache::find_memory_rows(const Layout& layout) {
  if (memory_offsets_.empty()) {
    memory_offsets_ = layout.offsets.to_vector<std::int64_t>();
  }
  std::vector<std::int64_t> first;
  std::vector<std::int32_t> counts;
  for (const std::int32_t sentence : sentences_) {
    const auto s = static_cast<std::size_t>(sentence);
    check(sentence >= 0 && s + 1 < memory_offsets_.size(),
          "attention cache: sentence {} of a memory of {}", sentence, memory_offsets_.size() - 1);
    first.push_back(memory_offsets_[s]);
    counts.push_back(static_cast<std::int32_t>(memory_offsets_[s + 1] - memory_offsets_[s]));
  }
  memory_first_ = uploaded(first, Shape{rows_}, region_);
  memory_counts_ = uploaded(counts, Shape{rows_}, region_);
}

}  // namespace yona
