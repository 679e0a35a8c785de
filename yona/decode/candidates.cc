#include "yona/decode/candidates.h"

#include <algorithm>
#include <cmath>

#include "yona/base/error.h"
#include "yona/decode/constraints.h"
#include "yona/decode/sampling.h"
#include "yona/tensor/ops/top_k.h"

namespace yona {

namespace {

template <class T>
Tensor uploaded(const std::vector<T>& values, Region& region) {
  Tensor tensor(region, dtype_of<T>(), Shape{static_cast<std::int64_t>(values.size())});
  tensor.upload(values);
  return tensor;
}

// Scores, groups, bans and given tokens of all rows of a step.
struct RowSettings {
  std::vector<float> scores;
  std::vector<std::int64_t> groups{0}, ban_offsets{0};
  std::vector<std::int32_t> bans, only;
  bool any_only = false;

  RowSettings(std::span<const Unit> units, const DecodeOptions& options,
              const ChosenOutputs* chosen) {
    Ids banned;
    for (const Unit& unit : units) {
      const std::int32_t forced = unit.only();
      const std::int32_t token = chosen != nullptr && forced >= 0 ? chosen->column(forced) : forced;
      any_only = any_only || token >= 0;
      for (const Beam& beam : unit.search->beams()) {
        scores.push_back(beam.score);
        only.push_back(token);
        banned.clear();
        append_bans(*unit.search, beam, options, banned);
        if (unit.request->rule) {
          unit.request->rule->append_bans(unit.search->tokens_of(beam), banned);
        }
        for (const std::int32_t id : banned) {
          const std::int32_t column = chosen != nullptr ? chosen->column(id) : id;
          if (column >= 0) {
            bans.push_back(column);
          }
        }
        ban_offsets.push_back(static_cast<std::int64_t>(bans.size()));
      }
      groups.push_back(static_cast<std::int64_t>(scores.size()));
    }
  }

  TopKOptions uploaded_to(Region& region) const {
    TopKOptions result;
    result.row_scores = uploaded(scores, region);
    result.groups = uploaded(groups, region);
    if (!bans.empty()) {
      result.ban_offsets = uploaded(ban_offsets, region);
      result.bans = uploaded(bans, region);
    }
    if (any_only) {
      result.only = uploaded(only, region);
    }
    return result;
  }
};

TopK best_of(const StepLogits& logits, const TopKOptions& options, Context& c) {
  if (logits.values) {
    return top_k(logits.values, options, c);
  }
  return logits.projection.storage()->quantised != nullptr
             ? projected_top_k(logits.states, logits.projection, options, c)
             : projected_best(logits.states, logits.projection, options, c);
}

}  // namespace

bool StepCandidates::draws_from_all() const {
  return options_.sampling.on && options_.sampling.top_k == 0;
}

std::int64_t StepCandidates::wanted(std::span<const Unit> units, std::int64_t vocabulary) const {
  if (options_.sampling.on && !draws_from_all()) {
    return std::min(options_.sampling.top_k, vocabulary);
  }
  std::int64_t k = 1;
  for (const Unit& unit : units) {
    const auto beams = static_cast<std::int64_t>(unit.search->beams().size());
    k = std::max(k, std::min(unit.search->candidates(), beams * vocabulary));
  }
  return k;
}

void StepCandidates::find(const StepLogits& logits, std::span<const Unit> units) {
  Context c{.region = region_, .precision = logits.precision};
  TopKOptions options = RowSettings(units, options_, chosen_).uploaded_to(region_);
  options.k = wanted(units, logits.vocabulary());
  options.bans_first = options_.mode == BeamMode::ctranslate2 || options_.renormalise;
  options.normalised = logits.normalised;
  const TopK best = best_of(logits, options, c);
  log_sums_ = best.log_sums.to_vector<float>();
  check<DeviceError>(
      std::none_of(log_sums_.begin(), log_sums_.end(), [](float x) { return std::isnan(x); }),
      "decode: the model's outputs are not numbers: its weights are damaged");
  scores_ = best.scores.to_vector<float>();
  tokens_ = best.tokens.to_vector<std::int32_t>();
  rows_ = best.rows.to_vector<std::int32_t>();
  k_ = static_cast<std::size_t>(options.k);
  vocabulary_ = static_cast<std::size_t>(logits.vocabulary());
  if (draws_from_all()) {
    logits_ = logits.values.to_vector<float>();
  }
}

std::vector<Candidate> StepCandidates::of(const Unit& unit, std::size_t place) const {
  std::vector<Candidate> found;
  for (std::size_t i = place * k_; i < (place + 1) * k_ && tokens_[i] >= 0; ++i) {
    const auto beam = static_cast<std::int32_t>(rows_[i] - unit.first_row);
    found.push_back({scores_[i], beam, id_of(tokens_[i])});
  }
  if (found.empty() || unit.in_prefix()) {
    return found;
  }
  if (unit.only() >= 0 && unit.search->forced_is_free()) {
    for (Candidate& candidate : found) {
      candidate.score = unit.search->beams()[static_cast<std::size_t>(candidate.beam)].score;
    }
  } else if (options_.sampling.on && unit.only() < 0) {
    return {drawn(unit, found)};
  }
  found.resize(std::min(found.size(), static_cast<std::size_t>(unit.search->candidates())));
  return found;
}

Candidate StepCandidates::drawn(const Unit& unit, std::span<const Candidate> found) const {
  const double number = sample_number(
      options_.sampling.seed,
      {.request = unit.request->id, .sample = unit.sample, .step = unit.search->length()});
  if (!draws_from_all()) {
    std::vector<float> scores;
    for (const Candidate& candidate : found) {
      scores.push_back(candidate.score);
    }
    return found[sample_sorted(scores, options_.sampling, number)];
  }
  const auto row = static_cast<std::size_t>(unit.first_row);
  const std::span<const float> all = std::span(logits_).subspan(row * vocabulary_, vocabulary_);
  const std::size_t token = options_.sampling.top_p < 1
                                ? sample_nucleus(all, options_.sampling, number)
                                : sample_any(all, options_.sampling.temperature, number);
  const float score = unit.search->beams().front().score + (all[token] - log_sums_[row]);
  return {score, 0, id_of(static_cast<std::int32_t>(token))};
}

}  // namespace yona
