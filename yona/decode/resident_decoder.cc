#include "yona/decode/resident_decoder.h"

#include <algorithm>
#include <bit>

#include "yona/base/preemption.h"
#include "yona/base/stop.h"

namespace yona {

namespace {

constexpr std::int64_t kMostBeams = 32;

std::int64_t power_of_two(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
}

}  // namespace

// A model with relative positions uploads their buckets in every step, which no replay can do.
bool ResidentDecoder::suits(const DecodeOptions& options,
                            std::span<const SequenceModel* const> models) {
  return models.size() == 1 && options.mode == BeamMode::paper && !options.sampling.on &&
         options.no_repeat_ngram == 0 && options.banned.empty() && options.beam <= kMostBeams &&
         has_plain_projection(*models.front()) && models.front()->shape().has_barred_pad() &&
         !models.front()->shape().uploads_in_steps;
}

std::int64_t ResidentDecoder::slots_for(std::int64_t sentences) {
  const std::int64_t slots = power_of_two(sentences);
  const std::int64_t between = slots / 4 * 3;
  return slots > 64 && sentences <= between ? between : slots;
}

ResidentDecoder::ResidentDecoder(const SequenceModel& model, const DecodeOptions& options,
                                 Region& region)
    : model_(model),
      options_(options),
      region_(region),
      step_region_(region.backend()),
      looks_{region.backend().make_readback(), region.backend().make_readback()} {}

// Sizes are powers of two, so that batches that grow a little take new memory, and new graphs,
// seldom.
void ResidentDecoder::make_room(std::int64_t slots, std::int64_t steps, std::int64_t tokens) {
  BeamStateSize size{.slots = power_of_two(slots),
                     .nodes = power_of_two(slots * options_.beam * steps),
                     .lengths = model_.shape().max_positions};
  tokens = power_of_two(tokens);
  if (beam_state_) {
    if (size.slots <= beam_state_->size().slots && size.nodes <= beam_state_->size().nodes &&
        tokens <= cache_->memory_tokens()) {
      return;
    }
    size.slots = std::max(size.slots, beam_state_->size().slots);
    size.nodes = std::max(size.nodes, beam_state_->size().nodes);
    tokens = std::max(tokens, cache_->memory_tokens());
  }
  replays_.clear();
  cache_.reset();
  beam_state_.reset();
  beam_state_ = std::make_unique<ResidentBeamState>(
      region_, size, options_, options_.start_id >= 0 ? options_.start_id : model_.start_id());
  cache_ = std::make_unique<ResidentCache>(region_, size.nodes, tokens);
}

// Sources through the encoder, searches at their beginning.
void ResidentDecoder::begin(std::span<const ResidentRequest> requests, std::int64_t slots) {
  std::vector<Ids> sources;
  std::vector<ResidentSentence> sentences;
  std::int64_t tokens = 0;
  std::int64_t steps = 0;
  for (const ResidentRequest& request : requests) {
    const auto length = static_cast<std::int64_t>(request.source.size());
    sources.push_back(request.source);
    sentences.push_back({tokens, length, request.max_length});
    tokens += length;
    steps = std::max(steps, request.max_length);
  }
  make_room(slots, steps, tokens);
  beam_state_->begin(sentences, slots);
  Context c{.region = step_region_, .precision = options_.precision};
  memory_ = model_.encode(tokens_of(sources, region_), c);
}

void ResidentDecoder::step(std::int64_t slots) {
  const PreemptionScope none(nullptr);  // a replay records what runs here
  cache_->begin_step(beam_state_->tables(slots));
  Context c{.region = step_region_, .precision = options_.precision, .cache = cache_.get()};
  const Tokens tokens{beam_state_->ids(slots), make_step_layout(beam_state_->positions(slots))};
  const Ragged states = model_.decode(tokens, memory_, c);  // [rows, d_model]
  beam_state_->advance(next_best(states.values, model_, beam_state_->top_k_options(slots), c),
                       slots, c);
}

void ResidentDecoder::replay(std::int64_t slots) {
  std::unique_ptr<Replay>& replay = replays_[slots];
  if (!replay) {
    replay = region_.backend().make_replay();
  }
  replay->run([this, slots] { step(slots); });
}

std::int64_t ResidentDecoder::gather(std::span<const std::int32_t> sentences) {
  std::vector<std::int32_t> index;
  for (std::size_t slot = 0; slot < sentences.size(); ++slot) {
    if (sentences[slot] >= 0) {
      index.push_back(static_cast<std::int32_t>(slot));
    }
  }
  const auto slots = static_cast<std::int64_t>(sentences.size());
  const auto left = static_cast<std::int64_t>(index.size());
  if (left == 0 || slots_for(left) == slots) {
    return left == 0 ? 0 : slots;
  }
  index.resize(static_cast<std::size_t>(slots_for(left)), -1);
  Context c{.region = step_region_};
  beam_state_->move(index, c);
  return slots_for(left);
}

std::int64_t ResidentDecoder::run(std::int64_t slots, std::int64_t most) {
  const auto look = [&](Readback& readback) {
    readback.start(beam_state_->sentences().raw(), slots * 4);
  };
  std::size_t turn = 0;
  look(*looks_[turn]);
  bool can_look = true;  // the look of the step before was at the slots as they are now
  std::int64_t steps = 1;
  while (steps < most) {
    preemption_point();
    replay(slots);
    ++steps;
    look(*looks_[1 - turn]);
    if (can_look) {
      const auto* seen = static_cast<const std::int32_t*>(looks_[turn]->wait());
      const std::int64_t left = gather({seen, static_cast<std::size_t>(slots)});
      if (left == 0) {
        break;
      }
      can_look = left == slots;
      slots = left;
    } else {
      can_look = true;
    }
    turn = 1 - turn;
  }
  return steps;
}

std::vector<std::vector<Hypothesis>> ResidentDecoder::decode(
    std::span<const ResidentRequest> requests) {
  std::vector<std::vector<Hypothesis>> answers;
  for (std::size_t begin = 0; begin < requests.size(); begin += kMostSentences) {
    check_stop(options_.stop, "decode");
    const std::size_t count = std::min(kMostSentences, requests.size() - begin);
    for (std::vector<Hypothesis>& hypotheses : decode_together(requests.subspan(begin, count))) {
      answers.push_back(std::move(hypotheses));
    }
  }
  return answers;
}

std::vector<std::vector<Hypothesis>> ResidentDecoder::decode_together(
    std::span<const ResidentRequest> requests) {
  const std::int64_t slots = slots_for(static_cast<std::int64_t>(requests.size()));
  std::int64_t most = 0;
  for (const ResidentRequest& request : requests) {
    most = std::max(most, request.max_length);
  }
  begin(requests, slots);
  cache_->begin_batch();
  step(slots);
  cache_->end_step();
  memory_.values = Tensor();
  return beam_state_->results(run(slots, most));
}

}  // namespace yona
