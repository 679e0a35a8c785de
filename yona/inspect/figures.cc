#include "yona/inspect/figures.h"

#include <cmath>

#include <fmt/format.h>

#include "yona/base/error.h"

namespace yona {

namespace {

double entropy_of(std::span<const float> row) {
  double entropy = 0;
  for (const float p : row) {
    entropy -= p > 0 ? double{p} * std::log(double{p}) : 0.0;
  }
  return entropy;
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : "-";
}

void put(Json& object, const char* key, const std::optional<double>& value) {
  if (value) {
    object[key] = *value;
  }
}

}  // namespace

void FigureSums::Mean::add(double value) {
  sum += value;
  ++count;
}

std::optional<double> FigureSums::Mean::value() const {
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

void FigureSums::add(const AttentionMaps& maps) {
  if (sums_.empty()) {
    for (const AttentionMap& map : maps.maps) {
      for (std::int64_t head = 0; head < map.heads; ++head) {
        sums_.push_back({map.part, map.layer, head, {}, {}, {}, {}, {}, {}, {}});
      }
    }
  }
  ++sentences_;
  std::size_t next = 0;
  for (const AttentionMap& map : maps.maps) {
    for (std::int64_t head = 0; head < map.heads; ++head, ++next) {
      check(next < sums_.size() && sums_[next].part == map.part && sums_[next].layer == map.layer,
            "attention: figures of models with different layers cannot be added");
      for (std::int64_t query = 0; query < map.queries; ++query) {
        add_row(map, query, sums_[next]);
      }
    }
  }
}

void FigureSums::add_row(const AttentionMap& map, std::int64_t query, Sums& sums) {
  const std::span<const float> row = map.row(sums.head, query);
  const auto weight = [row](std::int64_t key) {
    return double{row[static_cast<std::size_t>(key)]};
  };
  const bool causal = map.part == AttentionPart::decoder;
  const std::int64_t seen = causal ? query + 1 : map.keys;
  const double entropy = entropy_of(row);
  sums.entropy.add(entropy);
  if (seen > 1) {
    sums.entropy_share.add(entropy / std::log(static_cast<double>(seen)));
  }
  if (map.part != AttentionPart::cross) {
    sums.same.add(weight(query));
    if (query > 0) {
      sums.previous.add(weight(query - 1));
    }
    if (!causal && query + 1 < map.keys) {
      sums.next.add(weight(query + 1));
    }
  }
  sums.first.add(weight(0));
  if (!causal) {
    sums.last.add(weight(map.keys - 1));
  }
}

std::vector<HeadFigures> FigureSums::means() const {
  std::vector<HeadFigures> figures;
  figures.reserve(sums_.size());
  for (const Sums& sums : sums_) {
    figures.push_back({.part = sums.part,
                       .layer = sums.layer,
                       .head = sums.head,
                       .entropy = sums.entropy.value().value_or(0.0),
                       .entropy_share = sums.entropy_share.value(),
                       .previous = sums.previous.value(),
                       .same = sums.same.value(),
                       .next = sums.next.value(),
                       .first = sums.first.value(),
                       .last = sums.last.value()});
  }
  return figures;
}

std::vector<HeadFigures> figures_of(const AttentionMaps& maps) {
  FigureSums sums;
  sums.add(maps);
  return sums.means();
}

std::string figures_table(const std::vector<HeadFigures>& figures) {
  std::string out =
      fmt::format("{:8} {:>5} {:>4} {:>8} {:>7} {:>9} {:>6} {:>6} {:>6} {:>6}\n", "part", "layer",
                  "head", "entropy", "% ln n", "previous", "same", "next", "first", "last");
  for (const HeadFigures& head : figures) {
    out += fmt::format("{:8} {:>5} {:>4} {:>8.3f} {:>7} {:>9} {:>6} {:>6} {:>6} {:>6}\n",
                       name_of(head.part), head.layer + 1, head.head + 1, head.entropy,
                       percent(head.entropy_share), percent(head.previous), percent(head.same),
                       percent(head.next), percent(head.first), percent(head.last));
  }
  return out;
}

Json figures_json(const std::vector<HeadFigures>& figures) {
  Json array = Json::array();
  for (const HeadFigures& head : figures) {
    Json object{{"part", name_of(head.part)},
                {"layer", head.layer + 1},
                {"head", head.head + 1},
                {"entropy", head.entropy}};
    put(object, "entropy_share", head.entropy_share);
    put(object, "previous", head.previous);
    put(object, "same", head.same);
    put(object, "next", head.next);
    put(object, "first", head.first);
    put(object, "last", head.last);
    array.push_back(std::move(object));
  }
  return array;
}

}  // namespace yona
