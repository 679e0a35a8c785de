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

void append_rows(const AttentionMap& map, std::int64_t head, WeightDigits digits,
                 std::string& out) {
  for (std::int64_t query = 0; query < map.queries; ++query) {
    out += query == 0 ? "[" : ",[";
    const std::span<const float> row = map.row(head, query);
    for (std::size_t key = 0; key < row.size(); ++key) {
      out += key == 0 ? "" : ",";
      if (digits == WeightDigits::four_decimals) {
        append_four_decimals(row[key], out);
      } else {
        fmt::format_to(std::back_inserter(out), "{:.6g}", row[key]);
      }
    }
    out += "]";
  }
}

void append_part(const AttentionMaps& maps, AttentionPart part, WeightDigits digits,
                 std::string& out) {
  for (std::int64_t layer = 0; layer < maps.layers(part); ++layer) {
    const AttentionMap& map = maps.at(part, layer);
    out += layer == 0 ? "[" : ",[";
    for (std::int64_t head = 0; head < map.heads; ++head) {
      preemption_point();
      out += head == 0 ? "[" : ",[";
      append_rows(map, head, digits, out);
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
  append_weights(maps, WeightDigits::six_significant, out);
  return out + "}";
}

void append_weights(const AttentionMaps& maps, WeightDigits digits, std::string& out) {
  for (const AttentionPart part : kAttentionParts) {
    fmt::format_to(std::back_inserter(out), ",\"{}\":[", name_of(part));
    append_part(maps, part, digits, out);
    out += "]";
  }
}

}  // namespace yona
