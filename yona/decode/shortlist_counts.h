// Builds a Shortlist from counted translations of pieces: the most probable ones of each piece, and
// the most frequent pieces, which are always allowed.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "yona/decode/alignment.h"
#include "yona/decode/shortlist.h"

namespace yona {

struct ShortlistSize {
  std::int64_t per_piece = 100;  // the most probable translations of a source piece
  std::int64_t frequent = 100;   // target pieces that may always come: the most frequent
};

class ShortlistCounts {
 public:
  ShortlistCounts(std::int64_t source_vocabulary, std::int64_t target_vocabulary);

  // Counts the pieces of a pair, by how much each target piece has of each source piece, as
  // attention does. Throws InvalidArgument when they do not fit together.
  void add(const Ids& source, const Ids& target, const SoftAlignment& alignment);

  // The same for what was counted elsewhere. Throws InvalidArgument for ids beyond the
  // vocabularies.
  void add_translation(std::int32_t source, std::int32_t target, float weight);
  void add_frequency(std::int32_t target, double count);

  // By p(target | source), most probable first. `needed` are ids that may always come (</s>).
  Shortlist best(const ShortlistSize& size, const Ids& needed, bool copies) const;

 private:
  std::int64_t target_vocabulary_;
  std::vector<std::unordered_map<std::int32_t, float>> counts_;  // of each source id
  std::vector<double> frequencies_;                              // of each target id
};

}  // namespace yona
