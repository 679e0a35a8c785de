// A step of beam searches whose state the kernels update, as plain loops: candidates in, results
// and the next step's rows out. The rules are those of decode/paper_search.cc.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

constexpr float kNoBeam = -std::numeric_limits<float>::infinity();

struct Choice {
  float score = kNoBeam;
  std::int64_t beam = 0;  // it goes on from
  std::int32_t token = -1;
};

// The search of one slot's sentence.
class Slot {
 public:
  Slot(const BeamStepArgs& args, std::int64_t slot)
      : a_(args),
        first_row_(slot * args.beam),
        slot_(slot),
        sentence_(args.rows.sentences[slot]),
        length_(args.rows.positions[first_row_] + 1) {
    for (std::int64_t i = slot * a_.k; i < (slot + 1) * a_.k && a_.tokens[i] >= 0; ++i) {
      candidates_.push_back({a_.scores[i], a_.from[i] - first_row_, a_.tokens[i]});
    }
  }

  void step() {
    const bool goes_on = sentence_ >= 0 && search();
    if (goes_on) {
      keep();
    } else {
      a_.rows.sentences[slot_] = -1;
      std::fill_n(a_.rows.memory_counts + first_row_, a_.beam, 0);
      next_.clear();
    }
    make_rows();
    ban();
  }

 private:
  float score_of(std::int64_t beam) const { return a_.rows.scores[first_row_ + beam]; }
  double final_score(float sum, std::int64_t length) const {
    return double{sum} / a_.state.divisors[length];
  }

  void finish(const BeamResult& result) {
    std::int32_t& finished = a_.state.finished[sentence_];
    BeamResult* results = a_.state.results + sentence_ * a_.n_best;
    BeamResult* end = results + std::min<std::int64_t>(finished++, a_.n_best);
    BeamResult* at = std::upper_bound(
        results, end, result,
        [](const BeamResult& a, const BeamResult& b) { return a.score > b.score; });
    if (at != results + a_.n_best) {
      std::move_backward(at, std::min(end, results + a_.n_best - 1),
                         std::min(end + 1, results + a_.n_best));
      *at = result;
    }
  }
  void finish(const Choice& choice) {
    finish({.score = final_score(choice.score, length_),
            .length = static_cast<std::int32_t>(length_),
            .token = choice.token,
            .parent = static_cast<std::int32_t>(choice.beam),
            .token_score = choice.score - score_of(choice.beam)});
  }

  // Where nothing may come, the beams are results as they are.
  void cut_beams() {
    for (std::int64_t beam = 0; beam < a_.beam; ++beam) {
      if (const float sum = score_of(beam); sum > kNoBeam) {
        finish({.score = sum == 0 ? 0 : final_score(sum, length_ - 1),
                .length = static_cast<std::int32_t>(length_) - 1,
                .parent = static_cast<std::int32_t>(beam)});
      }
    }
  }

  bool search() {
    for (std::int64_t row = first_row_; row < first_row_ + a_.beam; ++row) {
      if (a_.rows.scores[row] > kNoBeam && std::isnan(a_.log_sums[row])) {
        *a_.state.damaged = 1;
        return false;
      }
    }
    if (candidates_.empty()) {
      cut_beams();
      return false;
    }
    for (const Choice& candidate : candidates_) {
      if (candidate.token == a_.end_id) {
        finish(candidate);
      } else if (static_cast<std::int64_t>(next_.size()) < a_.beam) {
        next_.push_back(candidate);
      }
    }
    const std::int64_t longest = a_.state.max_lengths[sentence_];
    if (length_ == longest) {
      if (a_.state.finished[sentence_] == 0) {
        cut_candidates();
      }
      return false;
    }
    return !next_.empty() && can_improve(longest);
  }

  // What the length limit cuts counts when nothing has ended.
  void cut_candidates() {
    const std::size_t most = std::min(candidates_.size(), static_cast<std::size_t>(a_.beam));
    for (std::size_t i = 0; i < most; ++i) {
      finish(candidates_[i]);
    }
  }

  // Could the best beam, in the length that is best for it, still come among the results?
  bool can_improve(std::int64_t longest) const {
    if (a_.state.finished[sentence_] < a_.n_best) {
      return true;
    }
    const double bound =
        final_score(next_.front().score, a_.longer_is_cheaper ? longest : length_ + 1);
    return bound > a_.state.results[(sentence_ + 1) * a_.n_best - 1].score;
  }

  // The beams that go on, in the tree.
  void keep() {
    BeamNode* nodes = a_.state.nodes + (length_ - 1) * *a_.state.pitch + sentence_ * a_.beam;
    for (const Choice& choice : next_) {
      *nodes++ = {.token = choice.token,
                  .parent = static_cast<std::int32_t>(choice.beam),
                  .score = choice.score - score_of(choice.beam)};
    }
  }

  void make_rows() {
    const BeamRows& rows = a_.rows;
    const std::vector<std::int32_t> places(rows.places + first_row_,
                                           rows.places + first_row_ + a_.beam);
    const std::vector<std::int32_t> table(rows.table + first_row_ * rows.table_stride,
                                          rows.table + (first_row_ + a_.beam) * rows.table_stride);
    for (std::int64_t beam = 0; beam < a_.beam; ++beam) {
      const std::int64_t row = first_row_ + beam;
      const bool there = beam < static_cast<std::int64_t>(next_.size());
      const Choice choice = there ? next_[static_cast<std::size_t>(beam)] : Choice{};
      rows.ids[row] = there ? choice.token : a_.first_id;
      rows.positions[row] = static_cast<std::int32_t>(length_);
      rows.scores[row] = choice.score;
      rows.counts[row] = there ? static_cast<std::int32_t>(length_) : 0;
      rows.places[row] = there ? static_cast<std::int32_t>(length_ * *a_.state.pitch + row) : -1;
      if (there) {
        std::copy_n(table.begin() + choice.beam * rows.table_stride, length_ - 1,
                    rows.table + row * rows.table_stride);
        rows.table[row * rows.table_stride + length_ - 1] =
            places[static_cast<std::size_t>(choice.beam)];
      }
    }
  }

  void ban() {
    if (a_.ban_offsets == nullptr) {
      return;
    }
    const bool bans_end = length_ < a_.min_length;
    const std::int64_t each = (bans_end ? 1 : 0) + (a_.banned_id >= 0 ? 1 : 0);
    for (std::int64_t row = first_row_; row < first_row_ + a_.beam; ++row) {
      a_.ban_offsets[row + 1] = (row + 1) * each;
      for (std::int64_t i = 0; i < each; ++i) {
        a_.bans[row * each + i] = i == 0 && bans_end ? a_.end_id : a_.banned_id;
      }
    }
  }

  const BeamStepArgs& a_;
  std::int64_t first_row_, slot_, sentence_;
  std::int64_t length_;  // with the candidates' tokens
  std::vector<Choice> candidates_, next_;
};

void beam_step(const BeamStepArgs& args, Exec& /*exec*/) {
  for (std::int64_t slot = 0; slot < args.slots; ++slot) {
    Slot(args, slot).step();
  }
}

const Registration registration(BackendKind::reference,
                                [](Kernels& table) { table.beam_step = beam_step; });

}  // namespace
}  // namespace yona::reference
