// Attention as one page that needs nothing else: no network, no other files.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "yona/inspect/attention_maps.h"

namespace yona {

// The page: choose part, layer and heads, point at a token to see its lines (figures 3 to 5 of the
// paper), all heads as small heat maps, and their figures. Weights are kept in steps of 1/255.
// Throws InvalidArgument when the weights, packed, would take more than 32 MB.
std::string attention_page(const AttentionMaps& maps);

// The weights as the page keeps them, before base64: bytes round(255 w), where a zero is followed
// by the number of further zeros (at most 255).
std::string packed_weights(std::span<const float> weights);

// JSON for use inside a script element, where "<" could end it, or begin a comment.
std::string for_script(std::string_view json);

}  // namespace yona
