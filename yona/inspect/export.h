// Attention for scripts: as JSON, and as a NumPy archive (.npz).
#pragma once

#include <filesystem>
#include <string>

#include "yona/inspect/attention.h"

namespace yona {

// {"source": …, "target": …, "source_tokens": […], …, "encoder": [layer][head][query][key], …,
//  "figures": […]}; weights with six significant digits. One line.
std::string attention_json(const AttentionMaps& maps);

// A zip of .npy arrays, not compressed, as numpy.load reads: encoder, decoder and cross as f32
// [layers, heads, queries, keys], and the three lists of tokens as strings. Throws InvalidArgument
// when it would pass the 4 GB that a plain zip can hold.
std::string attention_npz(const AttentionMaps& maps);

}  // namespace yona
