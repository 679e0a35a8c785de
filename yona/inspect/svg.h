// Attention as figures for papers: SVG with real text, on white, without any outside reference.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "yona/inspect/heat_map.h"

namespace yona {

// A heat map with its tokens; or several, as a grid of small ones without tokens, a layer to a
// row. At least one. Throws InvalidArgument when the figure would hold more cells than a viewer
// can show.
std::string svg_matrix(const std::vector<HeatMap>& maps);

// Lines between two columns of tokens, as in the paper's figures 3 to 5: on the right who looks, on
// the left at what; a colour for each head, as strong as the weight. Without a layer, the last one.
// With `token`, only its lines (counted from 0; figure 3).
std::string svg_lines(const AttentionMaps& maps, const AttentionChoice& choice,
                      std::optional<std::int64_t> token = std::nullopt);

// Text with the characters that XML gives a meaning replaced.
std::string xml_escaped(std::string_view text);

}  // namespace yona
