// The limits and the ranking of shifts follow sacreBLEU, which follows tercom: the figure depends
// on them, since the search is greedy. sacreBLEU also keeps rows of earlier candidates; that
// changes nothing but the time.

#include "yona/score/ter_edits.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "yona/score/edit_matrix.h"

namespace yona {

namespace {

constexpr std::size_t kLongestShift = 10;       // words
constexpr std::size_t kFarthestShift = 50;      // between where the words stand in both sentences
constexpr std::int64_t kMostCandidates = 1000;  // of one pair of sentences

using Words = std::vector<std::uint32_t>;
using Span = std::span<const std::uint32_t>;

// Words [begin, begin + length) of the hypothesis, which the reference has at `match`, moved before
// word `target`.
struct Shift {
  std::size_t begin = 0, match = 0, length = 0, target = 0;

  // The shift turns [first, last) around `middle`.
  std::size_t first() const { return std::min(begin, target); }
  std::size_t middle() const { return target < begin ? begin : begin + length; }
  std::size_t last(std::size_t size) const {
    const std::size_t end = begin + length;
    // A target inside the block itself moves it on by as many words.
    return target < begin ? end : std::min(size, target > end ? target : target + length);
  }
};

class ShiftSearch {
 public:
  ShiftSearch(Span hypothesis, Span reference)
      : words_(hypothesis.begin(), hypothesis.end()), reference_(reference) {}

  std::int64_t edits() {
    std::int64_t shifts = 0;
    while (true) {
      EditMatrix matrix(words_, reference_);
      const bool improves = find_best(matrix);
      if (candidates_ >= kMostCandidates || !improves) {
        return shifts + matrix.distance();
      }
      apply(best_, words_);
      ++shifts;
    }
  }

 private:
  // More saved edits first, then more words, then the earlier block, then the earlier target.
  using Rank = std::tuple<std::int32_t, std::size_t, std::int64_t, std::int64_t>;

  bool find_best(EditMatrix& matrix);
  void try_targets(EditMatrix& matrix, const EditMatrix::Alignment& alignment, Shift shift);
  static void apply(const Shift& shift, Words& words);

  Words words_;
  Span reference_;
  Words shifted_;
  Shift best_;
  Rank best_rank_;
  std::int64_t candidates_ = 0;
};

void ShiftSearch::apply(const Shift& shift, Words& words) {
  const auto at = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
  std::rotate(at(shift.first()), at(shift.middle()), at(shift.last(words.size())));
}

bool any_in(const std::vector<bool>& flags, std::size_t begin, std::size_t length) {
  const auto from = flags.begin() + static_cast<std::ptrdiff_t>(begin);
  return std::find(from, from + static_cast<std::ptrdiff_t>(length), true) !=
         from + static_cast<std::ptrdiff_t>(length);
}

// True when the best shift saves an edit.
bool ShiftSearch::find_best(EditMatrix& matrix) {
  const EditMatrix::Alignment alignment = matrix.alignment();
  best_rank_ = {};
  shifted_ = words_;
  for (std::size_t begin = 0; begin < words_.size(); ++begin) {
    const std::size_t nearest = begin - std::min(begin, kFarthestShift);
    const std::size_t farthest = std::min(reference_.size(), begin + kFarthestShift + 1);
    for (std::size_t match = nearest; match < farthest; ++match) {
      const std::size_t longest =
          std::min({kLongestShift, words_.size() - begin, reference_.size() - match});
      for (std::size_t length = 1;
           length <= longest && words_[begin + length - 1] == reference_[match + length - 1];
           ++length) {
        try_targets(matrix, alignment, {begin, match, length, 0});
        if (candidates_ >= kMostCandidates) {
          return false;
        }
      }
    }
  }
  return std::get<0>(best_rank_) > 0;
}

// A shift is worth trying only where both sentences are wrong, and out of the block itself.
void ShiftSearch::try_targets(EditMatrix& matrix, const EditMatrix::Alignment& alignment,
                              Shift shift) {
  const std::int64_t own = alignment.place[shift.match];
  const auto begin = static_cast<std::int64_t>(shift.begin);
  if (!any_in(alignment.hypothesis_is_wrong, shift.begin, shift.length) ||
      !any_in(alignment.reference_is_wrong, shift.match, shift.length) ||
      (own >= begin && own < begin + static_cast<std::int64_t>(shift.length))) {
    return;
  }
  std::int64_t previous = -1;
  for (std::size_t k = 0; k <= shift.length; ++k) {  // behind word match - 1 + k of the reference
    const std::size_t behind = shift.match + k;
    const std::int64_t target = behind == 0 ? 0 : alignment.place[behind - 1] + 1;
    if (target == previous) {
      continue;
    }
    previous = target;
    shift.target = static_cast<std::size_t>(target);
    apply(shift, shifted_);
    const std::size_t last = shift.last(words_.size());
    const std::int32_t saved =
        matrix.distance() - matrix.distance_with(shifted_, shift.first(), last);
    std::copy(words_.begin() + static_cast<std::ptrdiff_t>(shift.first()),
              words_.begin() + static_cast<std::ptrdiff_t>(last),
              shifted_.begin() + static_cast<std::ptrdiff_t>(shift.first()));
    ++candidates_;
    if (const Rank rank{saved, shift.length, -begin, -target}; rank > best_rank_) {
      best_rank_ = rank;
      best_ = shift;
    }
  }
}

}  // namespace

std::int64_t ter_edits(Span hypothesis, Span reference) {
  if (hypothesis.empty() || reference.empty()) {
    return static_cast<std::int64_t>(hypothesis.size() + reference.size());
  }
  return ShiftSearch(hypothesis, reference).edits();
}

}  // namespace yona
