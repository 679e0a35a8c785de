#include "yona/tensor/sequence_cache.h"

#include <algorithm>

namespace yona {

std::optional<std::int64_t> SequenceCache::allocate(std::int64_t rows) {
  check(rows > 0, "sequence cache: a segment of {} rows", rows);
  std::int64_t begin = 0;  // first fit
  for (const auto& [first, size] : segments_) {
    if (first - begin >= rows) {
      break;
    }
    begin = first + size;
  }
  if (begin + rows > rows_) {
    return std::nullopt;
  }
  segments_[begin] = rows;
  used_ += rows;
  return begin;
}

void SequenceCache::release(std::int64_t first) {
  const auto segment = segments_.find(first);
  check(segment != segments_.end(), "sequence cache: no segment begins at row {}", first);
  used_ -= segment->second;
  segments_.erase(segment);
}

void SequenceCache::reset(std::int64_t rows) {
  segments_.clear();
  layers_.clear();
  blocks_.clear();
  rows_ = rows;
  used_ = 0;
}

void SequenceCache::begin_step(std::span<const SequencePart> parts) {
  for (const SequencePart& part : parts) {
    const auto segment = segments_.find(part.first);
    check(segment != segments_.end() && part.cached >= 0 && part.fresh > 0 &&
              part.cached + part.fresh <= segment->second,
          "sequence cache: {} tokens after {} do not fit the segment at row {}", part.fresh,
          part.cached, part.first);
  }
  next_ = 0;
  const auto end = std::find_if(parts.begin(), parts.end(),
                                [](const SequencePart& part) { return part.fresh > 1; });
  std::vector<std::int32_t> counts, places;
  std::vector<std::int64_t> first;
  for (auto part = parts.begin(); part != end; ++part) {
    counts.push_back(static_cast<std::int32_t>(part->cached));
    first.push_back(part->first);
    places.push_back(static_cast<std::int32_t>(part->first + part->cached));
  }
  const Shape shape{static_cast<std::int64_t>(counts.size())};
  counts_ = Tensor(region_, DType::i32, shape);
  first_ = Tensor(region_, DType::i64, shape);
  places_ = Tensor(region_, DType::i32, shape);
  counts_.upload(counts);
  first_.upload(first);
  places_.upload(places);
  lay_out(parts);
  blocks_.clear();
  auto row = static_cast<std::int64_t>(counts.size());
  std::vector<std::int32_t> block_places;
  for (auto part = end; part != parts.end();) {
    const auto next =
        std::find_if(part, parts.end(), [](const SequencePart& other) { return other.cached > 0; });
    const std::span<const SequencePart> begun(part, next == part ? part + 1 : next);
    next == part ? add_block(*part, row) : add_whole_block(begun, row);
    for (const SequencePart& one : begun) {
      for (std::int64_t i = 0; i < one.fresh; ++i) {
        block_places.push_back(static_cast<std::int32_t>(one.first + one.cached + i));
      }
      row += one.fresh;
    }
    part += static_cast<std::ptrdiff_t>(begun.size());
  }
  block_places_ =
      Tensor(region_, DType::i32, Shape{static_cast<std::int64_t>(block_places.size())});
  block_places_.upload(block_places);
}

void SequenceCache::begin_step(const SequenceRows& rows) {
  next_ = 0;
  counts_ = rows.counts;
  first_ = rows.first;
  places_ = rows.places;
  blocks_.clear();
  layout_ = make_step_layout(rows.positions);
  tokens_ = layout_->tokens;
}

void SequenceCache::end_step() {
  counts_ = first_ = places_ = block_places_ = Tensor();
  layout_.reset();
  blocks_.clear();
}

void SequenceCache::lay_out(std::span<const SequencePart> parts) {
  std::vector<std::int64_t> fresh, cached;
  for (const SequencePart& part : parts) {
    fresh.push_back(part.fresh);
    cached.push_back(part.cached);
  }
  layout_ = make_continued_layout(fresh, cached, region_);
  tokens_ = layout_->tokens;
}

void SequenceCache::add_block(const SequencePart& part, std::int64_t row) {
  const std::int64_t keys = part.cached + part.fresh;
  const std::vector<std::int64_t> q_offsets{0, part.fresh};
  const std::vector<std::int64_t> k_offsets{0, keys};
  blocks_.push_back({.row = row,
                     .first = part.first,
                     .queries = make_layout(q_offsets, {}, region_),
                     .keys = make_layout(k_offsets, {}, region_)});
}

// Whole prompts: their keys and values are this step's.
void SequenceCache::add_whole_block(std::span<const SequencePart> parts, std::int64_t row) {
  std::vector<std::int64_t> offsets{0};
  for (const SequencePart& part : parts) {
    offsets.push_back(offsets.back() + part.fresh);
  }
  const auto layout = make_layout(offsets, {}, region_);
  blocks_.push_back({.row = row, .first = -1, .queries = layout, .keys = layout});
}

CachedKeys SequenceCache::append(const Tensor& keys_and_values, Context& c) {
  check(keys_and_values.rows() == tokens_, "sequence cache: keys {} of a step with {} tokens",
        keys_and_values.shape(), tokens_);
  if (next_ == layers_.size()) {
    layers_.emplace_back(region_, keys_and_values.dtype(), Shape{rows_, keys_and_values.cols()});
  }
  const Tensor& layer = layers_[next_++];
  const std::int64_t rows = counts_.elements();
  if (!blocks_.empty()) {
    c.kernels().put_rows({.x = keys_and_values.row_range(rows, tokens_ - rows).view(),
                          .y = layer.view(),
                          .rows = block_places_.data<std::int32_t>()},
                         c.exec());
  }
  return {.keys_and_values = layer,
          .counts = counts_,
          .first = first_,
          .fresh = keys_and_values,
          .places = places_,
          .blocks = blocks_};
}

CachedKeys SequenceCache::memory(const Layout& /*layout*/, const std::function<Tensor()>& /*make*/,
                                 Context& /*c*/) {
  fail("sequence cache: cross-attention has no place in a decoder alone");
}

void SequenceCache::copy(std::int64_t from, std::int64_t to, std::int64_t rows, Context& c) {
  for (const Tensor& layer : layers_) {
    c.kernels().add(
        {.a = layer.row_range(from, rows).view(), .y = layer.row_range(to, rows).view()}, c.exec());
  }
}

}  // namespace yona
