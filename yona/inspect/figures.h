// What a head does, in a few numbers: how spread its attention is, and how much of it goes to the
// neighbours and the ends. Averages over the rows of one sentence or of a whole corpus.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/inspect/attention.h"

namespace yona {

struct HeadFigures {
  AttentionPart part = AttentionPart::cross;
  std::int64_t layer = 0, head = 0;  // from 0
  double entropy = 0;                // -Σ p ln p of a row, in nats
  // Entropy / ln n, n the keys that the row may see: 0 looks at one, 1 at all alike. Rows that see
  // a single key do not count.
  std::optional<double> entropy_share;
  // The weight of the key before the query, of the query itself and of the one after it
  // (self-attention), of the first key and of the last one. Absent where it has no meaning: the
  // decoder sees nothing after itself, and its last key is itself.
  std::optional<double> previous, same, next, first, last;
};

class FigureSums {
 public:
  void add(const AttentionMaps& maps);
  std::int64_t sentences() const { return sentences_; }
  // By part, layer and head.
  std::vector<HeadFigures> means() const;

 private:
  struct Mean {
    double sum = 0;
    std::int64_t count = 0;
    void add(double value);
    std::optional<double> value() const;
  };
  struct Sums {
    AttentionPart part = AttentionPart::cross;
    std::int64_t layer = 0, head = 0;
    Mean entropy, entropy_share, previous, same, next, first, last;
  };
  static void add_row(const AttentionMap& map, std::int64_t query, Sums& sums);

  std::vector<Sums> sums_;
  std::int64_t sentences_ = 0;
};

std::vector<HeadFigures> figures_of(const AttentionMaps& maps);

// A table for a terminal, all of ASCII but its dashes; a row for each head. Layers and heads are
// counted from 1.
std::string figures_table(const std::vector<HeadFigures>& figures);

// An array of objects; what has no meaning is left out. Layers and heads are counted from 1.
Json figures_json(const std::vector<HeadFigures>& figures);

}  // namespace yona
