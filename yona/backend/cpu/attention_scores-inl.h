// Scores of dot-product attention, tile by tile, for the forward pass and again for the backward
// pass. Once per instruction set.
//
// Scores classes have two functions: begin(unit) for the queries of one head, then fill() for each
// tile of theirs. A tile is transposed (attention_softmax-inl.h) and in units of log 2.

#if defined(YONA_BACKEND_CPU_ATTENTION_SCORES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_ATTENTION_SCORES_INL_H_
#undef YONA_BACKEND_CPU_ATTENTION_SCORES_INL_H_
#else
#define YONA_BACKEND_CPU_ATTENTION_SCORES_INL_H_
#endif

#include "yona/backend/cpu/attention_bias-inl.h"
#include "yona/backend/cpu/attention_pack-inl.h"
#include "yona/backend/cpu/attention_product-inl.h"
#include "yona/backend/cpu/attention_softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

// to[key][query] = rows[key] · columns[query], where `columns` are packed transposed: keys against
// queries, and values against gradients of the output. Vectors that no query sees are left out.
HWY_INLINE void multiply_rows(const AttentionTile& tile, const HeadRows& rows, const float* columns,
                              float* to) {
  const std::int64_t width = round_up(tile.queries);
  const Product product{rows.data, rows.stride, 1, columns, width, to, width, false};
  multiply(product, tile.keys, width / kLanes, [&](std::int64_t begin, std::int64_t /*end*/) {
    return ProductRange{0, rows.columns, tile.first_seeing(begin) / kLanes};
  });
}

// Calls function(tile) for the tiles of some queries.
template <class Function>
HWY_INLINE void for_each_tile(const HeadQueries& unit, const Function& function) {
  bool is_first = true;
  for (const KeyRange& range : unit.ranges) {
    const EvenParts parts(range.end - range.begin, kTileKeys);
    for (std::int64_t part = 0; part < parts.count(); ++part, is_first = false) {
      const std::int64_t first_key = range.begin + parts.begin(part);
      function(AttentionTile{&unit.sentence, unit.first, unit.count, first_key,
                             range.begin + parts.begin(part + 1) - first_key, is_first});
    }
  }
}

inline HeadRows tile_keys(const HeadQueries& unit, const AttentionTile& tile) {
  return head_rows(unit.args.k, unit.sentence.first_key + tile.first_key, tile.keys,
                   unit.args.kv_head(unit.head), unit.args.d_k);
}

inline HeadRows tile_values(const HeadQueries& unit, const AttentionTile& tile) {
  return head_rows(unit.args.v, unit.sentence.first_key + tile.first_key, tile.keys,
                   unit.args.kv_head(unit.head), unit.args.d_v);
}

// scale · q kᵀ + bias
class DotScores {
 public:
  HWY_INLINE void begin(const HeadQueries& unit) {
    const AttentionArgs& args = unit.args;
    pack_transposed(head_rows(args.q, unit.first_row(), unit.count, unit.head, args.d_k),
                    args.scale * kLog2E, elements_of(queries_, args.d_k * round_up(unit.count)));
    if (args.bias) {
      expand_bias(args.bias, unit.head, unit.sentence, kLog2E,
                  elements_of(bias_, bias_distances(unit.sentence) + kLanes));
    }
  }
  HWY_INLINE void fill(const HeadQueries& unit, const AttentionTile& tile, float* scores) {
    multiply_rows(tile, tile_keys(unit, tile), queries_.get(0), scores);
    if (unit.args.bias) {
      add_bias(tile, bias_.get(0), round_up(tile.queries), scores);
    }
  }

 private:
  Scratch<float> queries_, bias_;
};

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
