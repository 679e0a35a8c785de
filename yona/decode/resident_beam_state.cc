#include "yona/decode/resident_beam_state.h"

#include <algorithm>
#include <limits>

#include "yona/decode/length_penalty.h"

namespace yona {

namespace {

constexpr float kNoBeam = -std::numeric_limits<float>::infinity();

// To the front of a list that may be longer.
template <class T>
void upload_front(const Tensor& list, const std::vector<T>& values) {
  list.slice(0, Shape{static_cast<std::int64_t>(values.size())}).upload(values);
}

Tensor list_of(Region& region, DType dtype, std::int64_t count) {
  return {region, dtype, Shape{count}};
}

template <class T>
Tensor bytes_of(Region& region, std::int64_t count) {
  return list_of(region, DType::u8, count * static_cast<std::int64_t>(sizeof(T)));
}

// length_normalised() of a sum is the sum over this.
std::vector<double> divisors_of(const DecodeOptions& options, std::int64_t lengths) {
  std::vector<double> divisors;
  for (std::int64_t tokens = 0; tokens <= lengths + 1; ++tokens) {
    divisors.push_back(length_divisor(options, {.tokens = tokens}));
  }
  return divisors;
}

Hypothesis hypothesis_of(const BeamResult& result, const BeamNode* nodes, std::int64_t pitch) {
  Hypothesis hypothesis;
  hypothesis.score = result.score;
  std::int32_t beam = result.parent;
  std::int64_t length = result.length;
  if (result.token >= 0) {
    hypothesis.ids.push_back(result.token);
    hypothesis.token_scores.push_back(result.token_score);
    --length;
  }
  while (length-- > 0) {
    const BeamNode& node = nodes[length * pitch + beam];
    hypothesis.ids.push_back(node.token);
    hypothesis.token_scores.push_back(node.score);
    beam = node.parent;
  }
  std::reverse(hypothesis.ids.begin(), hypothesis.ids.end());
  std::reverse(hypothesis.token_scores.begin(), hypothesis.token_scores.end());
  for (const float score : hypothesis.token_scores) {
    hypothesis.log_probability += score;
  }
  return hypothesis;
}

}  // namespace

ResidentBeamState::Rows::Rows(Region& region, const BeamStateSize& size, std::int64_t beam)
    : sentences(list_of(region, DType::i32, size.slots)),
      ids(list_of(region, DType::i32, size.slots * beam)),
      positions(list_of(region, DType::i32, size.slots * beam)),
      scores(list_of(region, DType::f32, size.slots * beam)),
      counts(list_of(region, DType::i32, size.slots * beam)),
      places(list_of(region, DType::i32, size.slots * beam)),
      table(region, DType::i32, Shape{size.slots * beam, size.lengths}),
      memory_first(list_of(region, DType::i64, size.slots * beam)),
      memory_counts(list_of(region, DType::i32, size.slots * beam)) {}

BeamRows ResidentBeamState::Rows::args() const {
  return {.sentences = sentences.data<std::int32_t>(),
          .ids = ids.data<std::int32_t>(),
          .positions = positions.data<std::int32_t>(),
          .scores = scores.data<float>(),
          .counts = counts.data<std::int32_t>(),
          .places = places.data<std::int32_t>(),
          .table = table.data<std::int32_t>(),
          .table_stride = table.stride(),
          .memory_first = memory_first.data<std::int64_t>(),
          .memory_counts = memory_counts.data<std::int32_t>()};
}

ResidentBeamState::ResidentBeamState(Region& region, const BeamStateSize& size,
                                     const DecodeOptions& options, std::int32_t first_id)
    : options_(options),
      size_(size),
      first_id_(first_id),
      rows_(region, size, options.beam),
      spare_(region, size, options.beam),
      pitch_(list_of(region, DType::i32, 1)),
      max_lengths_(list_of(region, DType::i32, size.slots)),
      divisors_(list_of(region, DType::f64, size.lengths + 2)),
      nodes_(bytes_of<BeamNode>(region, size.nodes)),
      results_(bytes_of<BeamResult>(region, size.slots * options.n_best)),
      finished_(list_of(region, DType::i32, size.slots + 1)),
      groups_(list_of(region, DType::i64, size.slots + 1)),
      ban_offsets_(list_of(region, DType::i64, size.slots * options.beam + 1)),
      bans_(list_of(region, DType::i32, size.slots * options.beam * 2)),
      index_(list_of(region, DType::i32, size.slots)),
      nodes_read_(region.backend().make_readback()),
      results_read_(region.backend().make_readback()),
      finished_read_(region.backend().make_readback()) {
  divisors_.upload(divisors_of(options, size.lengths));
  std::vector<std::int64_t> groups;
  for (std::int64_t slot = 0; slot <= size.slots; ++slot) {
    groups.push_back(slot * options.beam);
  }
  groups_.upload(groups);
}

BeamState ResidentBeamState::args() const {
  return {.pitch = pitch_.data<std::int32_t>(),
          .max_lengths = max_lengths_.data<std::int32_t>(),
          .divisors = divisors_.data<double>(),
          .nodes = static_cast<BeamNode*>(nodes_.raw()),
          .results = static_cast<BeamResult*>(results_.raw()),
          .finished = finished_.data<std::int32_t>(),
          .damaged = finished_.data<std::int32_t>() + size_.slots};
}

void ResidentBeamState::begin(std::span<const ResidentSentence> sentences, std::int64_t slots) {
  const std::int64_t beam = options_.beam;
  const auto rows = static_cast<std::size_t>(slots * beam);
  std::vector<std::int32_t> of_slot(static_cast<std::size_t>(slots), -1), limits;
  std::vector<std::int32_t> places(rows, -1), memory_counts(rows, 0);
  std::vector<std::int64_t> memory_first(rows, 0);
  std::vector<float> scores(rows, kNoBeam);
  count_ = static_cast<std::int64_t>(sentences.size());
  first_rows_ = slots * beam;
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    const std::size_t row = s * static_cast<std::size_t>(beam);
    of_slot[s] = static_cast<std::int32_t>(s);
    limits.push_back(static_cast<std::int32_t>(sentences[s].max_length));
    scores[row] = 0.0F;  // one beam to begin with
    places[row] = static_cast<std::int32_t>(row);
    std::fill_n(memory_first.begin() + static_cast<std::ptrdiff_t>(row), beam,
                sentences[s].memory_first);
    std::fill_n(memory_counts.begin() + static_cast<std::ptrdiff_t>(row), beam,
                static_cast<std::int32_t>(sentences[s].memory_count));
  }
  const std::vector<std::int32_t> zeros(rows, 0);
  upload_front(rows_.sentences, of_slot);
  upload_front(rows_.ids, std::vector<std::int32_t>(rows, first_id_));
  upload_front(rows_.positions, zeros);
  upload_front(rows_.scores, scores);
  upload_front(rows_.counts, zeros);
  upload_front(rows_.places, places);
  upload_front(rows_.memory_first, memory_first);
  upload_front(rows_.memory_counts, memory_counts);
  upload_front(max_lengths_, limits);
  pitch_.upload(std::vector<std::int32_t>{static_cast<std::int32_t>(first_rows_)});
  finished_.upload(std::vector<std::int32_t>(static_cast<std::size_t>(size_.slots) + 1, 0));
  begin_bans(first_rows_);
}

// What the first token may not be.
void ResidentBeamState::begin_bans(std::int64_t rows) const {
  if (!has_bans()) {
    return;
  }
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> bans;
  for (std::int64_t row = 0; row < rows; ++row) {
    if (options_.min_length > 0) {
      bans.push_back(options_.end_id);
    }
    if (options_.suppress_unknown) {
      bans.push_back(options_.unknown_id);
    }
    offsets.push_back(static_cast<std::int64_t>(bans.size()));
  }
  upload_front(ban_offsets_, offsets);
  upload_front(bans_, bans);
}

void ResidentBeamState::move(const std::vector<std::int32_t>& index, Context& c) const {
  std::vector<std::int32_t> same(index.size());
  for (std::size_t slot = 0; slot < same.size(); ++slot) {
    same[slot] = static_cast<std::int32_t>(slot);
  }
  BeamMoveArgs args{.from = rows_.args(),
                    .to = spare_.args(),
                    .index = index_.data<std::int32_t>(),
                    .slots = static_cast<std::int64_t>(index.size()),
                    .beam = options_.beam,
                    .first_id = first_id_};
  upload_front(index_, index);
  c.kernels().beam_move(args, c.exec());
  std::swap(args.from, args.to);
  upload_front(index_, same);
  c.kernels().beam_move(args, c.exec());
}

void ResidentBeamState::advance(const TopK& found, std::int64_t slots, Context& c) const {
  c.kernels().beam_step({.rows = rows_.args(),
                         .state = args(),
                         .slots = slots,
                         .beam = options_.beam,
                         .n_best = options_.n_best,
                         .k = found.scores.cols(),
                         .scores = found.scores.data<float>(),
                         .tokens = found.tokens.data<std::int32_t>(),
                         .from = found.rows.data<std::int32_t>(),
                         .log_sums = found.log_sums.data<float>(),
                         .end_id = options_.end_id,
                         .first_id = first_id_,
                         .longer_is_cheaper = options_.length_penalty >= 0,
                         .ban_offsets = has_bans() ? ban_offsets_.data<std::int64_t>() : nullptr,
                         .bans = bans_.data<std::int32_t>(),
                         .min_length = options_.min_length,
                         .banned_id = options_.suppress_unknown ? options_.unknown_id : -1},
                        c.exec());
}

ResidentTables ResidentBeamState::tables(std::int64_t slots) const {
  const std::int64_t rows = slots * options_.beam;
  return {.counts = rows_.counts.slice(0, Shape{rows}),
          .places = rows_.places.slice(0, Shape{rows}),
          .table = rows_.table.row_range(0, rows),
          .memory_first = rows_.memory_first.slice(0, Shape{rows}),
          .memory_counts = rows_.memory_counts.slice(0, Shape{rows})};
}

Tensor ResidentBeamState::ids(std::int64_t slots) const {
  return rows_.ids.slice(0, Shape{slots * options_.beam});
}

Tensor ResidentBeamState::positions(std::int64_t slots) const {
  return rows_.positions.slice(0, Shape{slots * options_.beam});
}

TopKOptions ResidentBeamState::top_k_options(std::int64_t slots) const {
  const std::int64_t rows = slots * options_.beam;
  TopKOptions options;
  options.k = options_.beam == 1 ? 1 : 2 * options_.beam;
  options.row_scores = rows_.scores.slice(0, Shape{rows});
  options.groups = groups_.slice(0, Shape{slots + 1});
  if (has_bans()) {
    options.ban_offsets = ban_offsets_.slice(0, Shape{rows + 1});
    options.bans = bans_;
  }
  return options;
}

std::vector<std::vector<Hypothesis>> ResidentBeamState::results(std::int64_t steps) const {
  constexpr auto kNodeBytes = static_cast<std::int64_t>(sizeof(BeamNode));
  constexpr auto kResultBytes = static_cast<std::int64_t>(sizeof(BeamResult));
  nodes_read_->start(nodes_.raw(), steps * first_rows_ * kNodeBytes);
  results_read_->start(results_.raw(), count_ * options_.n_best * kResultBytes);
  finished_read_->start(finished_.raw(), (size_.slots + 1) * 4);
  const auto* nodes = static_cast<const BeamNode*>(nodes_read_->wait());
  const auto* results = static_cast<const BeamResult*>(results_read_->wait());
  const auto* finished = static_cast<const std::int32_t*>(finished_read_->wait());
  check<DeviceError>(finished[size_.slots] == 0,
                     "decode: the model's outputs are not numbers: its weights are damaged");
  std::vector<std::vector<Hypothesis>> answers(static_cast<std::size_t>(count_));
  for (std::int64_t s = 0; s < count_; ++s) {
    const std::int64_t count = std::min<std::int64_t>(finished[s], options_.n_best);
    for (std::int64_t i = 0; i < count; ++i) {
      answers[static_cast<std::size_t>(s)].push_back(
          hypothesis_of(results[s * options_.n_best + i], nodes + s * options_.beam, first_rows_));
    }
  }
  return answers;
}

}  // namespace yona
