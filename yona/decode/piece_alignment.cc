// See piece_alignment.h. Sentences are visited by source piece: the probabilities of one piece then
// lie spread out over the vocabulary in a cache, and no pair of pieces is ever looked up in a table
// of all.

#include "yona/decode/piece_alignment.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/decode/models.h"

namespace yona {

namespace {

// One number for each target id, all zero between uses.
class SpreadOut {
 public:
  explicit SpreadOut(std::int64_t ids) : values_(static_cast<std::size_t>(ids)) {}
  float& operator[](std::int32_t id) { return values_[static_cast<std::size_t>(id)]; }

  void put(const std::vector<PieceTranslation>& translations) {
    for (const PieceTranslation& translation : translations) {
      (*this)[translation.target] = translation.probability;
    }
  }
  void clear(const std::vector<PieceTranslation>& translations) {
    for (const PieceTranslation& translation : translations) {
      (*this)[translation.target] = 0;
    }
  }

 private:
  std::vector<float> values_;
};

class Model1 {
 public:
  Model1(const PiecePairs& pairs, std::int64_t kept, ThreadPool& pool)
      : pairs_(pairs),
        kept_(kept),
        pool_(pool),
        sums_(pairs.targets().size()),
        translations_(static_cast<std::size_t>(pairs.source_vocabulary() + 1)) {
    list_sentences();
    start_evenly();
  }

  // sums_[j] ← Σ_s p(target j | s) over the source pieces s of its sentence and none.
  void expect() {
    constexpr std::int64_t kSlices = 16;
    const std::int64_t each = (pairs_.size() + kSlices - 1) / kSlices;
    pool_.run_ranges(pairs_.size(), std::max<std::int64_t>(1, each),
                     [&](std::int64_t begin, std::int64_t end) { expect(begin, end); });
  }

  // p(t | s) ← Σ_j [target j is t] p(t | s) / sums_[j], over the sentences with s, normalised.
  void maximise() {
    constexpr std::int64_t kPieces = 64;
    pool_.run_ranges(pieces(), kPieces, [&](std::int64_t begin, std::int64_t end) {
      SpreadOut before(pairs_.target_vocabulary());
      SpreadOut counts(pairs_.target_vocabulary());
      for (std::int64_t piece = begin; piece < end; ++piece) {
        maximise(piece, before, counts);
      }
    });
  }

  // Without those of no source piece.
  std::vector<std::vector<PieceTranslation>> result() && {
    translations_.pop_back();
    return std::move(translations_);
  }

 private:
  // All source ids, and after them the one that stands in every sentence: none.
  std::int64_t pieces() const { return pairs_.source_vocabulary() + 1; }
  std::vector<PieceTranslation>& of(std::int64_t piece) {
    return translations_[static_cast<std::size_t>(piece)];
  }

  void list_sentences() {
    offsets_.assign(static_cast<std::size_t>(pieces() + 1), 0);
    for (const std::int32_t id : pairs_.sources()) {
      ++offsets_[static_cast<std::size_t>(id) + 1];
    }
    offsets_.back() = pairs_.size();
    for (std::size_t i = 1; i < offsets_.size(); ++i) {
      offsets_[i] += offsets_[i - 1];
    }
    std::vector<std::int64_t> next(offsets_.begin(), offsets_.end() - 1);
    sentences_.resize(static_cast<std::size_t>(offsets_.back()));
    for (std::int64_t n = 0; n < pairs_.size(); ++n) {
      for (std::int64_t i = pairs_.source_offsets()[static_cast<std::size_t>(n)];
           i < pairs_.source_offsets()[static_cast<std::size_t>(n) + 1]; ++i) {
        const auto id = static_cast<std::size_t>(pairs_.sources()[static_cast<std::size_t>(i)]);
        sentences_[static_cast<std::size_t>(next[id]++)] = n;
      }
      sentences_[static_cast<std::size_t>(next.back()++)] = n;
    }
  }

  // As if all p(t | s) were 1: then the first counts are of standing in one sentence.
  void start_evenly() {
    for (std::int64_t n = 0; n < pairs_.size(); ++n) {
      const auto at = static_cast<std::size_t>(n);
      const auto sources =
          static_cast<float>(1 + pairs_.source_offsets()[at + 1] - pairs_.source_offsets()[at]);
      std::fill(sums_.begin() + pairs_.target_offsets()[at],
                sums_.begin() + pairs_.target_offsets()[at + 1], sources);
    }
  }

  // Calls visit(j) for each target place of the piece's sentences in [begin, end).
  template <class Visit>
  void visit_targets(std::int64_t piece, std::int64_t begin, std::int64_t end,
                     const Visit& visit) const {
    const auto first = sentences_.begin() + offsets_[static_cast<std::size_t>(piece)];
    const auto last = sentences_.begin() + offsets_[static_cast<std::size_t>(piece) + 1];
    for (auto n = std::lower_bound(first, last, begin); n != last && *n < end; ++n) {
      for (std::int64_t j = pairs_.target_offsets()[static_cast<std::size_t>(*n)];
           j < pairs_.target_offsets()[static_cast<std::size_t>(*n) + 1]; ++j) {
        visit(static_cast<std::size_t>(j));
      }
    }
  }

  void expect(std::int64_t begin, std::int64_t end) {
    std::fill(sums_.begin() + pairs_.target_offsets()[static_cast<std::size_t>(begin)],
              sums_.begin() + pairs_.target_offsets()[static_cast<std::size_t>(end)], 0.0F);
    SpreadOut probabilities(pairs_.target_vocabulary());
    for (std::int64_t piece = 0; piece < pieces(); ++piece) {
      probabilities.put(of(piece));
      visit_targets(piece, begin, end,
                    [&](std::size_t j) { sums_[j] += probabilities[pairs_.targets()[j]]; });
      probabilities.clear(of(piece));
    }
  }

  void maximise(std::int64_t piece, SpreadOut& before, SpreadOut& counts) {
    std::vector<PieceTranslation>& translations = of(piece);
    const bool is_first = translations.empty();
    before.put(translations);
    Ids seen;
    double total = 0;
    visit_targets(piece, 0, pairs_.size(), [&](std::size_t j) {
      const std::int32_t target = pairs_.targets()[j];
      const float part = is_first ? 1.0F : before[target];
      if (part > 0 && sums_[j] > 0) {
        float& count = counts[target];
        if (count == 0) {
          seen.push_back(target);
        }
        count += part / sums_[j];
        total += part / sums_[j];
      }
    });
    before.clear(translations);
    translations.clear();
    for (const std::int32_t target : seen) {
      translations.push_back({target, static_cast<float>(counts[target] / total)});
      counts[target] = 0;
    }
    const auto kept = std::min(kept_, static_cast<std::int64_t>(translations.size()));
    std::partial_sort(translations.begin(), translations.begin() + kept, translations.end(),
                      [](const PieceTranslation& a, const PieceTranslation& b) {
                        return a.probability != b.probability ? a.probability > b.probability
                                                              : a.target < b.target;
                      });
    translations.resize(static_cast<std::size_t>(kept));
    translations.shrink_to_fit();
  }

  const PiecePairs& pairs_;
  std::int64_t kept_;
  ThreadPool& pool_;
  std::vector<std::int64_t> offsets_, sentences_;  // where each piece stands, in order
  std::vector<float> sums_;                        // of each target place
  std::vector<std::vector<PieceTranslation>> translations_;
};

}  // namespace

void PiecePairs::add(const Ids& source, const Ids& target) {
  const auto sentence = static_cast<std::size_t>(size());
  check_ids(source, source_vocabulary_, {.what = "align", .side = "source", .sentence = sentence});
  check_ids(target, target_vocabulary_, {.what = "align", .side = "target", .sentence = sentence});
  sources_.insert(sources_.end(), source.begin(), source.end());
  targets_.insert(targets_.end(), target.begin(), target.end());
  source_offsets_.push_back(static_cast<std::int64_t>(sources_.size()));
  target_offsets_.push_back(static_cast<std::int64_t>(targets_.size()));
}

std::vector<std::vector<PieceTranslation>> align_pieces(const PiecePairs& pairs,
                                                        const PieceAlignmentOptions& options,
                                                        ThreadPool& pool) {
  check(options.iterations >= 1 && options.kept >= 1,
        "align: {} iterations that keep {} translations find nothing", options.iterations,
        options.kept);
  Model1 model(pairs, options.kept, pool);
  model.maximise();
  for (int i = 1; i < options.iterations; ++i) {
    model.expect();
    model.maximise();
  }
  return std::move(model).result();
}

}  // namespace yona
