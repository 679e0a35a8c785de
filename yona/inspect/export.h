// Attention for scripts: as JSON, and as a NumPy archive (.npz).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "yona/base/text_pieces.h"
#include "yona/inspect/attention_maps.h"

namespace yona {

// {"source": …, "target": …, "source_tokens": […], …, "encoder": [layer][head][query][key], …,
//  "figures": […]}; weights with six significant digits. One line.
std::string attention_json(const AttentionMaps& maps);

// How weights are written: six significant digits, or four decimals (in a third of the time and
// half of the space).
enum class WeightDigits : std::uint8_t { six_significant, four_decimals };

// ,"encoder":[layer][head][query][key],"decoder":…,"cross":…: what follows the other members of an
// object. Numbers are written straight into the text, whose memory is all that it takes. Can be
// preempted between its pieces.
void append_weights(const AttentionMaps& maps, WeightDigits digits, TextPieces& out);

// A zip of .npy arrays, not compressed, as numpy.load reads: encoder, decoder and cross as f32
// [layers, heads, queries, keys], and the three lists of tokens as strings. Throws InvalidArgument
// when it would pass the 4 GB that a plain zip can hold.
std::string attention_npz(const AttentionMaps& maps);

}  // namespace yona
