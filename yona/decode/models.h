// What decoding and scoring require of the given models, one or an ensemble.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "yona/decode/hypothesis.h"
#include "yona/models/sequence_model.h"

namespace yona {

// The fewest positions of any of them. Throws InvalidArgument, beginning with `what`, when there is
// none or their vocabularies differ.
std::int64_t least_positions(const std::vector<const SequenceModel*>& models,
                             std::string_view what);

// Throws InvalidArgument "WHAT: sentence N has the SIDE id …" for an id outside [0, vocabulary).
struct IdCheck {
  std::string_view what, side;
  std::size_t sentence = 0;  // from 0
};
void check_ids(const Ids& ids, std::int64_t vocabulary, const IdCheck& where);

}  // namespace yona
