#include "yona/inspect/html.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "yona/base/base64.h"
#include "yona/base/error.h"
#include "yona/base/human.h"
#include "yona/inspect/colour.h"
#include "yona/inspect/figures.h"
#include "yona/text/display.h"

namespace yona {

extern const std::string_view kAttentionPage;       // page.html
extern const std::string_view kAttentionView;       // attention_view.js
extern const std::string_view kAttentionViewStyle;  // attention_view.css

namespace {

constexpr std::size_t kMostPageBytes = 32U << 20U;

Json part_json(const AttentionMaps& maps, AttentionPart part, std::size_t& bytes) {
  Json layers = Json::array();
  for (std::int64_t layer = 0; layer < maps.layers(part); ++layer) {
    std::string packed = base64(packed_weights(maps.at(part, layer).weights));
    bytes += packed.size();
    check(bytes <= kMostPageBytes,
          "attention: {} and {} tokens are too many for a page; give a shorter sentence, or write "
          "--format npz",
          maps.source_tokens.size(), maps.target_tokens.size());
    layers.push_back(std::move(packed));
  }
  return {{"name", name_of(part)},
          {"queries", labels(maps.query_tokens(part))},
          {"keys", labels(maps.key_tokens(part))},
          {"layers", std::move(layers)}};
}

}  // namespace

std::string for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  }
  return out;
}

std::string packed_weights(std::span<const float> weights) {
  std::string out;
  for (std::size_t i = 0; i < weights.size();) {
    const auto level = [&](std::size_t at) {
      return static_cast<int>(std::lround(255 * std::clamp(weights[at], 0.0F, 1.0F)));
    };
    if (const int value = level(i++); value != 0) {
      out += static_cast<char>(value);
      continue;
    }
    int more = 0;
    while (more < 255 && i < weights.size() && level(i) == 0) {
      ++more;
      ++i;
    }
    out += '\0';
    out += static_cast<char>(more);
  }
  return out;
}

std::string attention_page(const AttentionMaps& maps) {
  Json colours = Json::array();
  for (std::int64_t head = 0; head < maps.heads(); ++head) {
    colours.push_back(head_colour(head, maps.heads()));
  }
  Json parts = Json::array();
  std::size_t bytes = 0;
  for (const AttentionPart part : kAttentionParts) {
    parts.push_back(part_json(maps, part, bytes));
  }
  const Json data{{"source", printable(maps.source)},
                  {"target", printable(maps.target)},
                  {"translated", maps.translated},
                  {"source_language", maps.source_language},
                  {"target_language", maps.target_language},
                  {"heads", maps.heads()},
                  {"colours", std::move(colours)},
                  {"parts", std::move(parts)},
                  {"figures", figures_json(figures_of(maps))}};
  const std::array<std::pair<std::string_view, std::string>, 3> fillings{
      {{"__STYLE__", std::string(kAttentionViewStyle)},
       {"__DATA__", for_script(data.dump())},
       {"__VIEW__", std::string(kAttentionView)}}};  // in the order of the page
  std::string page;
  std::size_t from = 0;
  for (const auto& [place, text] : fillings) {
    const std::size_t at = kAttentionPage.find(place, from);
    page += kAttentionPage.substr(from, at - from);
    page += text;
    from = at + place.size();
  }
  page += kAttentionPage.substr(from);
  return page;
}

}  // namespace yona
