#include "yona/generate/resident_steps.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/base/preemption.h"
#include "yona/decode/resident_decoder.h"
#include "yona/decode/stepper.h"

namespace yona {

namespace {

Tensor slot_list(Region& region, DType dtype, std::int64_t count) {
  return {region, dtype, Shape{count}};
}

TokenChoiceNumbers numbers_of(const TokenChoiceOptions& choice) {
  return {.temperature = choice.temperature,
          .top_p = choice.top_p,
          .min_p = choice.min_p,
          .top_k = choice.top_k};
}

}  // namespace

bool ResidentSteps::suits(const SequenceModel& model, const Backend& backend) {
  return backend.searches_on_device() && !model.shape().uploads_in_steps;
}

ResidentSteps::Slots::Slots(Region& region, std::int64_t count)
    : ids(slot_list(region, DType::i32, count)),
      positions(slot_list(region, DType::i32, count)),
      counts(slot_list(region, DType::i32, count)),
      places(slot_list(region, DType::i32, count)),
      steps(slot_list(region, DType::i32, count)),
      first(slot_list(region, DType::i64, count)),
      choices(slot_list(region, DType::u8,
                        count * static_cast<std::int64_t>(sizeof(TokenChoiceNumbers)))),
      numbers(slot_list(region, DType::f64, kMostSteps * count)),
      tokens(slot_list(region, DType::i32, kMostSteps * count)),
      replay(region.backend().make_replay()) {}

ResidentSteps::ResidentSteps(const SequenceModel& model, SequenceCache& cache, Backend& backend,
                             Precision precision)
    : model_(model),
      cache_(cache),
      precision_(precision),
      region_(backend),
      step_region_(backend),
      read_(backend.make_readback()) {}

// Slots without an answer have no place in the cache: kernels pass over them.
void ResidentSteps::begin(const Slots& slots, std::int64_t count,
                          std::span<const ResidentRow> rows) const {
  const auto size = static_cast<std::size_t>(count);
  std::vector<std::int32_t> ids(size, 0), counts(size, 0), places(size, -1);
  std::vector<std::int64_t> first(size, 0);
  std::vector<TokenChoiceNumbers> choices(size);
  std::vector<double> numbers(static_cast<std::size_t>(kMostSteps) * size, 0.0);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const ResidentRow& row = rows[r];
    ids[r] = row.token;
    counts[r] = static_cast<std::int32_t>(row.cached);
    places[r] = static_cast<std::int32_t>(row.first + row.cached);
    first[r] = row.first;
    choices[r] = numbers_of(row.choice);
    for (std::size_t step = 0; step < row.numbers.size(); ++step) {
      numbers[step * size + r] = row.numbers[step];
    }
  }
  slots.ids.upload(ids);
  slots.positions.upload(counts);
  slots.counts.upload(counts);
  slots.places.upload(places);
  slots.steps.upload(std::vector<std::int32_t>(size, 0));
  slots.first.upload(first);
  slots.choices.upload_bytes(choices.data(),
                             static_cast<std::int64_t>(size * sizeof(TokenChoiceNumbers)));
  slots.numbers.upload(numbers);
}

void ResidentSteps::step(const Slots& slots) {
  const PreemptionScope none(nullptr);  // a replay records what runs here
  cache_.begin_step({.counts = slots.counts,
                     .places = slots.places,
                     .first = slots.first,
                     .positions = slots.positions});
  Context c{.region = step_region_, .precision = precision_, .cache = &cache_};
  const Tensor states = model_.decode({slots.ids, cache_.layout()}, {}, c).values;
  const Tensor logits = next_logits(states, model_, c);  // [slots, vocabulary]
  c.kernels().next_tokens({.logits = logits.view(),
                           .choices = static_cast<const TokenChoiceNumbers*>(slots.choices.raw()),
                           .numbers = slots.numbers.data<double>(),
                           .rows = {.ids = slots.ids.data<std::int32_t>(),
                                    .positions = slots.positions.data<std::int32_t>(),
                                    .counts = slots.counts.data<std::int32_t>(),
                                    .places = slots.places.data<std::int32_t>(),
                                    .steps = slots.steps.data<std::int32_t>()},
                           .tokens = slots.tokens.data<std::int32_t>()},
                          c.exec());
}

std::vector<std::int32_t> ResidentSteps::run(std::span<const ResidentRow> rows,
                                             std::int64_t steps) {
  check(steps > 0 && steps <= kMostSteps, "generate: a run of {} steps; at most {} are possible",
        steps, kMostSteps);
  const std::int64_t count = ResidentDecoder::slots_for(static_cast<std::int64_t>(rows.size()));
  const Slots& slots = replays_.try_emplace(count, region_, count).first->second;
  begin(slots, count, rows);
  for (std::int64_t i = 0; i < steps; ++i) {
    slots.replay->run([this, &slots] { step(slots); });
  }
  read_->start(slots.tokens.raw(), steps * count * static_cast<std::int64_t>(sizeof(std::int32_t)));
  const auto* chosen = static_cast<const std::int32_t*>(read_->wait());
  std::vector<std::int32_t> tokens;
  for (std::int64_t i = 0; i < steps; ++i) {
    tokens.insert(tokens.end(), chosen + i * count,
                  chosen + i * count + static_cast<std::ptrdiff_t>(rows.size()));
  }
  return tokens;
}

}  // namespace yona
