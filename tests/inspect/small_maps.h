// Attention of no model: two layers and two heads over a few tokens, with known weights.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "yona/inspect/attention.h"

namespace yona::testing {

// Every row looks at one key: encoder and cross row i of head h at key (i + h) mod keys, decoder
// row i at key max(0, i - h).
inline AttentionMaps small_maps(const std::vector<std::string>& source = {"▁a", "▁quarter", "</s>"},
                                const std::vector<std::string>& target = {"▁ein", "▁Viertel",
                                                                          "</s>"}) {
  AttentionMaps maps;
  maps.source = "a quarter";
  maps.target = "ein Viertel";
  maps.source_language = "en";
  maps.target_language = "de";
  maps.source_tokens = source;
  maps.target_tokens = target;
  maps.decoder_tokens = target;
  maps.decoder_tokens.pop_back();
  maps.decoder_tokens.insert(maps.decoder_tokens.begin(), "<pad>");
  for (const AttentionPart part : kAttentionParts) {
    for (std::int64_t layer = 0; layer < 2; ++layer) {
      AttentionMap map{part,
                       layer,
                       2,
                       static_cast<std::int64_t>(maps.query_tokens(part).size()),
                       static_cast<std::int64_t>(maps.key_tokens(part).size()),
                       {}};
      map.weights.assign(static_cast<std::size_t>(map.heads * map.queries * map.keys), 0.0F);
      for (std::int64_t head = 0; head < map.heads; ++head) {
        for (std::int64_t i = 0; i < map.queries; ++i) {
          const std::int64_t key = part == AttentionPart::decoder
                                       ? std::max<std::int64_t>(0, i - head)
                                       : (i + head) % map.keys;
          map.weights[static_cast<std::size_t>((head * map.queries + i) * map.keys + key)] = 1.0F;
        }
      }
      maps.maps.push_back(std::move(map));
    }
  }
  return maps;
}

}  // namespace yona::testing
