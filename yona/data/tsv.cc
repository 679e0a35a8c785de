// A single walk over the line; columns beyond the last wanted one are not looked at.

#include "yona/data/tsv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "yona/base/random.h"

namespace yona {

namespace {

std::optional<float> parse_weight(std::string_view text) {
  float weight = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, weight);
  const bool good = error == std::errc() && stopped == end && std::isfinite(weight) && weight > 0;
  return good ? std::optional(weight) : std::nullopt;
}

}  // namespace

bool parse_tsv(std::string_view line, const TsvColumns& columns, TsvFields& fields) {
  fields = {};
  const int last = std::max({columns.source, columns.target, columns.weight, columns.document});
  for (int column = 1;; ++column) {
    const std::size_t tab = line.find('\t');
    const std::string_view field = line.substr(0, tab);
    if (column == columns.source) {
      fields.source = field;
    }
    if (column == columns.target) {
      fields.target = field;
    }
    if (column == columns.weight) {
      const std::optional<float> weight = parse_weight(field);
      if (!weight.has_value()) {
        return false;
      }
      fields.weight = *weight;
    }
    if (column == columns.document) {
      fields.document = hash_name(field);
    }
    if (column == last) {
      return true;
    }
    if (tab == std::string_view::npos) {
      return false;
    }
    line.remove_prefix(tab + 1);
  }
}

}  // namespace yona
