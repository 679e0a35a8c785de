#include "yona/decode/shortlist_counts.h"

#include <algorithm>
#include <numeric>

#include "yona/base/error.h"

namespace yona {

namespace {

// The `count` first of `ids` by weight, the largest first; equal ones by id.
template <class Weight>
void keep_heaviest(Ids& ids, std::int64_t count, const Weight& weight) {
  const auto kept = std::min(count, static_cast<std::int64_t>(ids.size()));
  std::partial_sort(ids.begin(), ids.begin() + kept, ids.end(),
                    [&](std::int32_t a, std::int32_t b) {
                      const auto of_a = weight(a);
                      const auto of_b = weight(b);
                      return of_a != of_b ? of_a > of_b : a < b;
                    });
  ids.resize(static_cast<std::size_t>(kept));
}

}  // namespace

ShortlistCounts::ShortlistCounts(std::int64_t source_vocabulary, std::int64_t target_vocabulary)
    : target_vocabulary_(target_vocabulary),
      counts_(static_cast<std::size_t>(source_vocabulary)),
      frequencies_(static_cast<std::size_t>(target_vocabulary)) {}

void ShortlistCounts::add_translation(std::int32_t source, std::int32_t target, float weight) {
  check(source >= 0 && static_cast<std::size_t>(source) < counts_.size() && target >= 0 &&
            target < target_vocabulary_,
        "shortlist: ids {} and {} are not in vocabularies of {} and {}", source, target,
        counts_.size(), target_vocabulary_);
  counts_[static_cast<std::size_t>(source)][target] += weight;
}

void ShortlistCounts::add_frequency(std::int32_t target, double count) {
  check(target >= 0 && target < target_vocabulary_,
        "shortlist: target id {} is not in a vocabulary of {}", target, target_vocabulary_);
  frequencies_[static_cast<std::size_t>(target)] += count;
}

void ShortlistCounts::add(const Ids& source, const Ids& target, const SoftAlignment& alignment) {
  check(alignment.size() == target.size(), "shortlist: an alignment of {} for {} target pieces",
        alignment.size(), target.size());
  constexpr float kLeast = 0.02F;  // weight spread over a whole sentence is not a translation
  for (std::size_t t = 0; t < target.size(); ++t) {
    check(alignment[t].size() == source.size(),
          "shortlist: an alignment of {} for {} source pieces", alignment[t].size(), source.size());
    add_frequency(target[t], 1);
    for (std::size_t s = 0; s < source.size(); ++s) {
      if (alignment[t][s] >= kLeast) {
        add_translation(source[s], target[t], alignment[t][s]);
      }
    }
  }
}

Shortlist ShortlistCounts::best(const ShortlistSize& size, const Ids& needed, bool copies) const {
  Shortlist::Parts parts;
  parts.target_vocabulary = target_vocabulary_;
  parts.copies = copies;
  for (const auto& counts : counts_) {
    Ids ids;
    for (const auto& [id, count] : counts) {
      ids.push_back(id);
    }
    keep_heaviest(ids, size.per_piece, [&](std::int32_t id) { return counts.at(id); });
    parts.targets.insert(parts.targets.end(), ids.begin(), ids.end());
    parts.offsets.push_back(static_cast<std::int64_t>(parts.targets.size()));
  }
  parts.always.resize(frequencies_.size());
  std::iota(parts.always.begin(), parts.always.end(), 0);
  const auto frequency = [&](std::int32_t id) {
    return frequencies_[static_cast<std::size_t>(id)];
  };
  keep_heaviest(parts.always, size.frequent, frequency);
  std::erase_if(parts.always, [&](std::int32_t id) { return frequency(id) == 0; });
  parts.always.insert(parts.always.end(), needed.begin(), needed.end());
  sort_ids(parts.always);
  return Shortlist(std::move(parts));
}

}  // namespace yona
