#include "yona/inspect/heat_map.h"

#include <fmt/format.h>

#include "yona/base/error.h"

namespace yona {

namespace {

using Heads = AttentionChoice::Heads;

HeatMap matrix(const AttentionMaps& maps, const AttentionMap& map,
               std::optional<std::int64_t> head) {
  const std::string which =
      head ? fmt::format("head {}", *head + 1) : fmt::format("mean of {} heads", map.heads);
  const std::string place = fmt::format("layer {}, {}", map.layer + 1, which);
  HeatMap out{fmt::format("{}, {}", title_of(map.part), place), place,
              labels(maps.query_tokens(map.part)), labels(maps.key_tokens(map.part)), map.mean()};
  if (head) {
    const std::span<const float> weights = map.head(*head);
    out.weights.assign(weights.begin(), weights.end());
  }
  return out;
}

}  // namespace

void check_choice(const AttentionMaps& maps, const AttentionChoice& choice) {
  if (choice.layer) {
    maps.at(choice.part, *choice.layer);
  }
  check(choice.heads != Heads::one || choice.head < maps.heads(),
        "attention: there is no head {}; the model has {} in each layer", choice.head + 1,
        maps.heads());
}

std::vector<HeatMap> heat_maps(const AttentionMaps& maps, const AttentionChoice& choice) {
  check_choice(maps, choice);
  std::vector<HeatMap> out;
  for (const AttentionMap& map : maps.maps) {
    if (map.part != choice.part || (choice.layer && *choice.layer != map.layer)) {
      continue;
    }
    if (choice.heads == Heads::mean) {
      out.push_back(matrix(maps, map, std::nullopt));
      continue;
    }
    for (std::int64_t head = 0; head < map.heads; ++head) {
      if (choice.heads == Heads::all || head == choice.head) {
        out.push_back(matrix(maps, map, head));
      }
    }
  }
  return out;
}

}  // namespace yona
