// AttentionMaps as JSON. Weights are written as they come: a tree of them would take many times
// the memory.

#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "yona/base/preemption.h"
#include "yona/inspect/export.h"
#include "yona/inspect/figures.h"

namespace yona {

namespace {

// 0.1234, without zeros at the end.
void append_four_decimals(float value, std::string& out) {
  constexpr long kOne = 10'000;
  const long rounded = std::lround(static_cast<double>(value) * kOne);
  if (rounded < 0 || rounded >= kOne) {
    fmt::format_to(std::back_inserter(out), "{}", static_cast<double>(rounded) / kOne);
    return;
  }
  std::array<char, 6> digits{'0', '.'};
  long rest = rounded;
  for (std::size_t place = digits.size() - 1; place > 1; --place, rest /= 10) {
    digits[place] = static_cast<char>('0' + rest % 10);
  }
  std::size_t length = rounded == 0 ? 1 : digits.size();
  while (length > 1 && digits[length - 1] == '0') {
    --length;
  }
  out.append(digits.data(), length);
}

void append_row(std::span<const float> row, WeightDigits digits, std::string& out) {
  for (std::size_t key = 0; key < row.size(); ++key) {
    out += key == 0 ? "" : ",";
    if (digits == WeightDigits::four_decimals) {
      append_four_decimals(row[key], out);
    } else {
      fmt::format_to(std::back_inserter(out), "{:.6g}", row[key]);
    }
  }
}

void append_rows(const AttentionMap& map, std::int64_t head, WeightDigits digits, TextPieces& out) {
  for (std::int64_t query = 0; query < map.queries; ++query) {
    if (out.is_full()) {
      preemption_point();
    }
    std::string& piece = out.last();
    piece += query == 0 ? "[" : ",[";
    append_row(map.row(head, query), digits, piece);
    piece += "]";
  }
}

void append_part(const AttentionMaps& maps, AttentionPart part, WeightDigits digits,
                 TextPieces& out) {
  for (std::int64_t layer = 0; layer < maps.layers(part); ++layer) {
    const AttentionMap& map = maps.at(part, layer);
    out.append(layer == 0 ? "[" : ",[");
    for (std::int64_t head = 0; head < map.heads; ++head) {
      out.append(head == 0 ? "[" : ",[");
      append_rows(map, head, digits, out);
      out.append("]");
    }
    out.append("]");
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
  std::string text = head.dump();
  text.pop_back();  // the closing brace
  TextPieces out(std::move(text));
  append_weights(maps, WeightDigits::six_significant, out);
  out.append("}");
  return std::move(out).joined();
}

void append_weights(const AttentionMaps& maps, WeightDigits digits, TextPieces& out) {
  for (const AttentionPart part : kAttentionParts) {
    fmt::format_to(std::back_inserter(out.last()), ",\"{}\":[", name_of(part));
    append_part(maps, part, digits, out);
    out.append("]");
  }
}

}  // namespace yona
