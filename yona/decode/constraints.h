// Tokens that are banned at a step: </s> before the minimum length, <unk> if it is not allowed,
// banned ids, and the last token of a repeated n-gram.
#pragma once

#include <span>

#include "yona/decode/search.h"

namespace yona {

// Appends the tokens that may not follow the beam. They may repeat.
void append_bans(const SentenceSearch& search, const Beam& beam, const DecodeOptions& options,
                 Ids& bans);

// Appends the tokens that would complete an n-gram which `ids` has already.
void append_repeats(std::span<const std::int32_t> ids, std::int64_t n, Ids& bans);

}  // namespace yona
