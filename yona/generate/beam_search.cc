#include "yona/generate/beam_search.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/stop.h"
#include "yona/decode/candidates.h"
#include "yona/tensor/ops/gather_rows.h"

namespace yona {

namespace {

DecodeOptions search_options(const BeamRequest& request) {
  DecodeOptions options = DecodeOptions::for_mode(BeamMode::huggingface);
  options.beam = request.beam;
  options.n_best = request.n_best;
  options.length_penalty = request.length_penalty;
  options.end_id = request.end_ids.empty() ? -1 : request.end_ids.front();
  options.unknown_id = -1;
  options.force_end = false;
  return options;
}

std::vector<std::int32_t> other_ends(const BeamRequest& request) {
  const auto& ids = request.end_ids;
  return {ids.empty() ? ids.end() : ids.begin() + 1, ids.end()};
}

Tensor uploaded_ids(const std::vector<std::int32_t>& ids, Region& region) {
  Tensor tensor(region, DType::i32, Shape{static_cast<std::int64_t>(ids.size())});
  tensor.upload(ids);
  return tensor;
}

}  // namespace

BeamSearch::BeamSearch(const SequenceModel& model, Backend& backend, Precision precision)
    : model_(model),
      precision_(precision),
      cache_region_(backend),
      region_(backend),
      cache_(cache_region_, 1) {
  Context c{.region = region_, .precision = precision_};
  rounded_ = std::make_unique<RoundedWeights>(model.projection(), c);
}

// The states of the prompt's last token, [1, d_model]. Long prompts go in pieces.
Tensor BeamSearch::prefill(const BeamRequest& request, std::int64_t first) {
  constexpr std::int64_t kPiece = 512;
  const auto length = static_cast<std::int64_t>(request.prompt.size());
  Context c{.region = region_, .precision = precision_, .cache = &cache_};
  Tensor last;
  for (std::int64_t begin = 0; begin < length; begin += kPiece) {
    check_stop(request.interrupt, "generate");
    const std::int64_t fresh = std::min(kPiece, length - begin);
    const auto from = request.prompt.begin() + begin;
    cache_.begin_step({{{.first = first, .cached = begin, .fresh = fresh}}});
    const Tensor ids = uploaded_ids({from, from + fresh}, region_);
    const Tensor states = model_.decode({ids, cache_.layout()}, {}, c).values;
    last = gather_rows(states, uploaded_ids({static_cast<std::int32_t>(fresh - 1)}, region_), c);
  }
  return last;
}

// The first beam that follows another one takes its segment; each further one gets a copy.
void BeamSearch::follow(const std::vector<Beam>& beams, const BeamRequest& request,
                        std::int64_t cached, Segments& segments) {
  const auto prompt = static_cast<std::int64_t>(request.prompt.size());
  std::vector<bool> taken(segments.first.size(), false);
  const auto parent = [&](const Beam& beam) {
    return segments.of_beam[static_cast<std::size_t>(beam.parent)];
  };
  std::vector<std::size_t> next(beams.size(), segments.first.size());
  for (std::size_t i = 0; i < beams.size(); ++i) {
    if (!taken[parent(beams[i])]) {
      next[i] = parent(beams[i]);
      taken[next[i]] = true;
    }
  }
  Context c{.region = region_};
  for (std::size_t i = 0; i < beams.size(); ++i) {
    if (next[i] < segments.first.size()) {
      continue;
    }
    const auto free =
        static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    taken[free] = true;
    next[i] = free;
    const std::int64_t known = segments.has_prompt[free] ? prompt : 0;
    cache_.copy(segments.first[parent(beams[i])] + known, segments.first[free] + known,
                cached - known, c);
    segments.has_prompt[free] = true;
  }
  segments.of_beam = std::move(next);
}

Tensor BeamSearch::step(const std::vector<Beam>& beams, const Segments& segments,
                        std::int64_t cached) {
  std::vector<SequencePart> parts;
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < beams.size(); ++i) {
    parts.push_back({.first = segments.first[segments.of_beam[i]], .cached = cached, .fresh = 1});
    ids.push_back(beams[i].token);
  }
  Context c{.region = region_, .precision = precision_, .cache = &cache_};
  cache_.begin_step(parts);
  return model_.decode({uploaded_ids(ids, region_), cache_.layout()}, {}, c).values;
}

std::vector<Hypothesis> BeamSearch::run(const BeamRequest& request) {
  const DecodeOptions options = search_options(request);
  check_options(options);
  const auto prompt = static_cast<std::int64_t>(request.prompt.size());
  const std::int64_t rows = prompt + request.max_new;
  cache_.reset(request.beam * rows);
  Segments segments{{}, std::vector<bool>(static_cast<std::size_t>(request.beam), false), {0}};
  for (std::int64_t i = 0; i < request.beam; ++i) {
    segments.first.push_back(*cache_.allocate(rows));
  }
  segments.has_prompt[0] = true;

  const DecodeRequest nothing{};  // no prefix, no rule
  std::vector<Unit> units(1);
  Unit& unit = units.front();
  unit.request = &nothing;
  unit.search = make_search(
      options,
      {.max_length = request.max_new, .end = options.end_id, .other_ends = other_ends(request)});
  StepCandidates candidates(options, region_);
  Tensor states = prefill(request, segments.first.front());  // [beams, d_model]
  for (std::int64_t cached = prompt;; ++cached) {
    check_stop(request.interrupt, "generate");
    Context c{.region = region_, .precision = precision_};
    const Tensor projection = model_.projection();
    const bool in_bytes =
        has_plain_projection(model_) && projection.storage()->quantised != nullptr;
    candidates.find(in_bytes ? StepLogits{.states = states, .projection = projection}
                             : StepLogits{.values = next_logits(states, model_, c)},
                    units);
    if (!unit.search->advance(candidates.of(unit, 0))) {
      return unit.search->results();
    }
    follow(unit.search->beams(), request, cached, segments);
    states = step(unit.search->beams(), segments, cached);
  }
}

}  // namespace yona
