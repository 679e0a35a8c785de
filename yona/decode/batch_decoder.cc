#include "yona/decode/batch_decoder.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/base/stop.h"
#include "yona/decode/candidates.h"
#include "yona/decode/models.h"
#include "yona/decode/shortlist.h"

namespace yona {

namespace {

// All searches of a batch and the sources they read.
struct Batch {
  std::vector<Unit> units;
  std::vector<Ids> sources;
  std::vector<Ids> outputs;  // what may come out of each, with a shortlist
  std::int64_t steps = 0;    // most that a search takes
};

// The rows that the units' beams are in the next step, in the units' order.
void gather_rows(std::vector<Unit>& units, StepRows& rows) {
  rows.clear();
  for (Unit& unit : units) {
    const std::int64_t row_before = unit.first_row;
    unit.first_row = static_cast<std::int64_t>(rows.ids.size());
    for (const Beam& beam : unit.search->beams()) {
      rows.ids.push_back(beam.token);
      rows.parents.push_back(static_cast<std::int32_t>(row_before + beam.parent));
      rows.sentences.push_back(unit.sentence);
    }
  }
}

// Sampling may draw from all; a greedy search without scores needs the best token and
// as many as may be banned: </s>, <unk> and those that never come out.
LogitsWanted logits_wanted(const DecodeOptions& options) {
  LogitsWanted wanted{.all = options.sampling.on};
  if (options.beam == 1 && !options.sampling.on && !options.scores &&
      options.no_repeat_ngram == 0) {
    wanted.largest = 1 + (options.min_length > 0 ? 1 : 0) + (options.suppress_unknown ? 1 : 0) +
                     static_cast<std::int64_t>(options.banned.size());
  }
  return wanted;
}

// Workers and requests have decoders of their own: one of them says it.
void warn_of_f32() {
  static std::once_flag said;
  std::call_once(said, [] {
    log().warn(
        "decode: f32 is used: a model whose logits have a bias or a scale, or with an odd number "
        "of outputs and an ordinary <pad>, is not decoded in bf16 or f16");
  });
}

// A step of one search: does it go on? Its prefix is forced, the rest is searched.
bool go_on(Unit& unit, std::span<const Candidate> found) {
  if (unit.in_prefix() && !found.empty()) {
    unit.search->force(found.front());
    return true;
  }
  return unit.search->advance(found);
}

// Runs the searches to their ends; `done` takes each one that has finished. `watched` is asked
// after each step of a search whether it continues.
template <class Done, class Watched>
void run_steps(std::vector<Unit>& units, Stepper& stepper, const LogitsWanted& wanted,
               StepCandidates& candidates, const Done& done, const Watched& watched) {
  StepRows rows;
  while (!units.empty()) {
    gather_rows(units, rows);
    candidates.find(stepper.step(rows, wanted), units);
    std::size_t place = 0;
    std::erase_if(units, [&](Unit& unit) {
      const std::vector<Candidate> found = candidates.of(unit, place++);
      const bool over = !go_on(unit, found);
      const bool is_given_up = !watched(unit, found) && !over;
      if (over) {
        done(unit);
      }
      return over || is_given_up;
    });
  }
}

}  // namespace

BatchDecoder::BatchDecoder(std::vector<const SequenceModel*> models, Backend& backend,
                           const DecodeOptions& options)
    : models_(std::move(models)),
      options_((check_options(options), options)),
      max_positions_(least_positions(models_, "decode")),
      region_(backend) {
  if (options_.start_id < 0) {
    options_.start_id = models_.front()->start_id();
  }
  check(options.precision != Precision::f16 || backend.has_f16(),
        "decode: f16 is for GPUs; use f32");
  check_shortlist(backend);
  if (options_.precision != Precision::f32 &&
      !std::all_of(models_.begin(), models_.end(),
                   [](const SequenceModel* model) { return has_plain_projection(*model); })) {
    warn_of_f32();
    options_.precision = Precision::f32;
  }
  Context c{.region = region_, .precision = options_.precision};
  for (const SequenceModel* model : models_) {
    rounded_.push_back(std::make_unique<RoundedWeights>(model->projection(), c));
  }
}

void BatchDecoder::check_shortlist(const Backend& backend) const {
  if (!options_.shortlist) {
    return;
  }
  check(backend.packs_weights(),
        "decode: a shortlist is for CPUs; a GPU computes all outputs as fast");
  const SequenceShape& shape = models_.front()->shape();
  check(options_.shortlist->source_vocabulary() == shape.source_vocabulary &&
            options_.shortlist->target_vocabulary() == shape.target_vocabulary,
        "decode: the shortlist is of {} source and {} target pieces, the model has {} and {}; make "
        "one for it by `yona shortlist`",
        options_.shortlist->source_vocabulary(), options_.shortlist->target_vocabulary(),
        shape.source_vocabulary, shape.target_vocabulary);
}

// What the shortlist says, and all that may be forced.
Ids BatchDecoder::outputs_for(const DecodeRequest& request) const {
  Ids ids = options_.shortlist->candidates(request.source);
  ids.insert(ids.end(), request.prefix.begin(), request.prefix.end());
  ids.insert(ids.end(), {options_.end_id, options_.unknown_id, options_.first_id});
  std::erase_if(ids, [&](std::int32_t id) { return id < 0 || id >= models_.front()->outputs(); });
  sort_ids(ids);
  return ids;
}

std::int64_t BatchDecoder::max_length(std::int64_t source_tokens) const {
  const double most = std::floor(options_.limit.factor * static_cast<double>(source_tokens)) +
                      static_cast<double>(options_.limit.extra);
  return static_cast<std::int64_t>(std::clamp(most, 0.0, static_cast<double>(max_positions_)));
}

void BatchDecoder::check_request(const DecodeRequest& request, std::size_t index) const {
  const SequenceModel& model = *models_.front();
  const auto length = static_cast<std::int64_t>(request.source.size());
  check(length <= max_positions_, "decode: sentence {} has {} tokens, the model takes at most {}",
        index + 1, length, max_positions_);
  check_ids(request.source, model.shape().source_vocabulary,
            {.what = "decode", .side = "source", .sentence = index});
  check_ids(request.prefix, model.outputs(),
            {.what = "decode", .side = "prefix", .sentence = index});
  check(request.prefix.empty() ||
            static_cast<std::int64_t>(request.prefix.size()) < max_length(length),
        "decode: the prefix of sentence {} has {} tokens, its output at most {}", index + 1,
        request.prefix.size(), max_length(length));
}

bool BatchDecoder::is_resident(std::span<const DecodeRequest> requests) const {
  return region_.backend().searches_on_device() && ResidentDecoder::suits(options_, models_) &&
         std::all_of(requests.begin(), requests.end(), [](const DecodeRequest& request) {
           return request.prefix.empty() && !request.rule;
         });
}

std::vector<std::vector<Hypothesis>> BatchDecoder::decode_resident(
    std::span<const DecodeRequest> requests) {
  std::vector<std::vector<Hypothesis>> answers(requests.size());
  std::vector<ResidentRequest> searched;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::int64_t longest = max_length(static_cast<std::int64_t>(requests[i].source.size()));
    if (requests[i].source.empty() || longest == 0) {
      answers[i].resize(1);
    } else {
      searched.push_back({requests[i].source, longest});
      places.push_back(i);
    }
  }
  if (searched.empty()) {
    return answers;
  }
  if (!resident_) {
    resident_ = std::make_unique<ResidentDecoder>(*models_.front(), options_, region_);
  }
  std::vector<std::vector<Hypothesis>> found = resident_->decode(searched);
  for (std::size_t i = 0; i < places.size(); ++i) {
    answers[places[i]] = std::move(found[i]);
  }
  return answers;
}

std::vector<std::vector<Hypothesis>> BatchDecoder::decode(std::span<const DecodeRequest> requests,
                                                          SearchWatch* watch) {
  const std::int64_t searches = options_.sampling.on ? options_.n_best : 1;
  std::vector<std::vector<Hypothesis>> answers(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    check_request(requests[i], i);
  }
  if (is_resident(requests)) {
    return decode_resident(requests);
  }
  Batch batch;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const std::int64_t longest = max_length(static_cast<std::int64_t>(requests[i].source.size()));
    if (requests[i].source.empty() || longest == 0) {
      answers[i].resize(static_cast<std::size_t>(searches));
      continue;
    }
    const SearchLimits limits{.max_length = longest,
                              .prefix = static_cast<std::int64_t>(requests[i].prefix.size()),
                              .end = options_.end_id};
    for (std::int64_t sample = 0; sample < searches; ++sample) {
      batch.units.push_back({.request = &requests[i],
                             .answer = i,
                             .sentence = static_cast<std::int32_t>(batch.sources.size()),
                             .sample = static_cast<std::uint64_t>(sample),
                             .search = make_search(options_, limits)});
    }
    answers[i].resize(options_.sampling.on ? static_cast<std::size_t>(searches) : 0);
    batch.sources.push_back(requests[i].source);
    if (options_.shortlist) {
      batch.outputs.push_back(outputs_for(requests[i]));
    }
    batch.steps = std::max(batch.steps, longest);
  }
  if (batch.units.empty()) {
    return answers;
  }
  const std::int64_t width = options_.sampling.on ? 1 : options_.beam;
  const auto chosen = options_.shortlist ? std::make_unique<ChosenOutputs>(batch.outputs) : nullptr;
  Stepper stepper(models_, options_,
                  {.sources = batch.sources,
                   .size = {.rows = static_cast<std::int64_t>(batch.units.size()) * width,
                            .steps = batch.steps},
                   .chosen = chosen.get()},
                  region_);
  StepCandidates candidates(options_, region_, chosen.get());
  const auto done = [&](Unit& unit) {
    if (options_.sampling.on) {
      answers[unit.answer][unit.sample] = unit.search->results().front();
    } else {
      answers[unit.answer] = unit.search->results();
    }
  };
  const auto watched = [&](const Unit& unit, std::span<const Candidate> found) {
    check_stop(options_.stop, "decode");
    const bool goes_on = watch == nullptr || watch->stepped(unit.answer, found, *unit.search);
    if (!goes_on && answers[unit.answer].empty()) {
      answers[unit.answer].resize(1);
    }
    return goes_on;
  };
  run_steps(batch.units, stepper, logits_wanted(options_), candidates, done, watched);
  return answers;
}

}  // namespace yona
