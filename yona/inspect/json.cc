// AttentionMaps as JSON. Weights are written as they come: a tree of them would take many times
// the memory.

#include <iterator>

#include <fmt/format.h>

#include "yona/inspect/export.h"
#include "yona/inspect/figures.h"

namespace yona {

namespace {

void append_rows(const AttentionMap& map, std::int64_t head, std::string& out) {
  for (std::int64_t query = 0; query < map.queries; ++query) {
    out += query == 0 ? "[" : ",[";
    const std::span<const float> row = map.row(head, query);
    for (std::size_t key = 0; key < row.size(); ++key) {
      fmt::format_to(std::back_inserter(out), "{}{:.6g}", key == 0 ? "" : ",", row[key]);
    }
    out += "]";
  }
}

void append_part(const AttentionMaps& maps, AttentionPart part, std::string& out) {
  for (std::int64_t layer = 0; layer < maps.layers(part); ++layer) {
    const AttentionMap& map = maps.at(part, layer);
    out += layer == 0 ? "[" : ",[";
    for (std::int64_t head = 0; head < map.heads; ++head) {
      out += head == 0 ? "[" : ",[";
      append_rows(map, head, out);
      out += "]";
    }
    out += "]";
  }
}

}  // namespace

std::string attention_json(const AttentionMaps& maps) {
  const Json head{{"source", maps.source},
                  {"target", maps.target},
                  {"translated", maps.translated},
                  {"source_language", maps.source_language},
                  {"target_language", maps.target_language},
                  {"source_tokens", maps.source_tokens},
                  {"target_tokens", maps.target_tokens},
                  {"decoder_tokens", maps.decoder_tokens},
                  {"figures", figures_json(figures_of(maps))}};
  std::string out = head.dump();
  out.pop_back();  // the closing brace
  for (const AttentionPart part : kAttentionParts) {
    fmt::format_to(std::back_inserter(out), ",\"{}\":[", name_of(part));
    append_part(maps, part, out);
    out += "]";
  }
  return out + "}";
}

}  // namespace yona
