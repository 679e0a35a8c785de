// Decoding while a model trains: all requests, sentences of like length together.
#pragma once

#include <span>
#include <vector>

#include "yona/decode/batch_decoder.h"

namespace yona {

// The hypotheses of each request, in order. As BatchDecoder::decode, up to `batch` requests at
// once.
std::vector<std::vector<Hypothesis>> decode_sorted(BatchDecoder& decoder,
                                                   std::span<const DecodeRequest> requests,
                                                   std::size_t batch = 64);

}  // namespace yona
