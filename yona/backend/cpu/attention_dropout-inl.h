// Which attention weights dropout keeps, for some queries and all keys that they see: a byte per
// weight with one bit for each of eight heads, laid out like a tile of scores (a row per key, a
// lane per query). The decisions are those of keeps_weight() in dropout.h, bit for bit; a tile's
// bytes are computed once and serve all heads. Once per instruction set.

#if defined(YONA_BACKEND_CPU_ATTENTION_DROPOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef YONA_BACKEND_CPU_ATTENTION_DROPOUT_INL_H_
#undef YONA_BACKEND_CPU_ATTENTION_DROPOUT_INL_H_
#else
#define YONA_BACKEND_CPU_ATTENTION_DROPOUT_INL_H_
#endif

#include "yona/backend/cpu/attention_pack-inl.h"
#include "yona/backend/cpu/attention_tile.h"
#include "yona/backend/dropout.h"

HWY_BEFORE_NAMESPACE();
namespace yona::cpu::HWY_NAMESPACE {

inline constexpr std::uint32_t kPhiloxMultiplier0 = 0xD2511F53U;
inline constexpr std::uint32_t kPhiloxMultiplier1 = 0xCD9E8D57U;
inline constexpr std::uint32_t kPhiloxStep0 = 0x9E3779B9U;
inline constexpr std::uint32_t kPhiloxStep1 = 0xBB67AE85U;

using Words = hn::ScalableTag<std::uint64_t>;
using Word = hn::Vec<Words>;

// A Philox state of one query and key per 64-bit lane. Only the low half of a word counts: products
// and their low words need no masking, because a multiplication reads low halves only.
struct PhiloxState {
  Word c0, c1, c2, c3;
};

HWY_INLINE Word multiply_low(Word a, std::uint32_t b) {
  const hn::ScalableTag<std::uint32_t> d32;
  return hn::MulEven(hn::BitCast(d32, a), hn::Set(d32, b));
}

HWY_INLINE void philox_round(PhiloxState& state, Word key0, Word key1) {
  const Word product0 = multiply_low(state.c0, kPhiloxMultiplier0);
  const Word product1 = multiply_low(state.c2, kPhiloxMultiplier1);
  state.c0 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product1), state.c1), key0);
  state.c1 = product1;
  state.c2 = hn::Xor(hn::Xor(hn::ShiftRight<32>(product0), state.c3), key1);
  state.c3 = product0;
}

// The bits of eight heads from the four words of a block: head 2w is the lower half of word w.
// They end in two 16-bit lanes, even heads in the lower one.
HWY_INLINE Word kept_heads(const PhiloxState& state, std::uint32_t threshold) {
  const Words d64;
  const hn::ScalableTag<std::uint16_t> d16;
  const auto below = hn::Set(d16, static_cast<std::uint16_t>(threshold - 1));
  const auto kept = [&](Word word, std::uint64_t bits) HWY_ATTR {
    const auto keep = hn::Gt(hn::BitCast(d16, word), below);
    return hn::BitCast(
        d64, hn::IfThenElseZero(keep, hn::BitCast(d16, hn::Set(d64, bits | bits << 17U))));
  };
  return hn::Or(hn::Or(kept(state.c0, 1), kept(state.c1, 4)),
                hn::Or(kept(state.c2, 16), kept(state.c3, 64)));
}

// In the first two rounds no word depends on both the query and the key position, so they are done
// once per query and once per key; the state after them takes two operations to put together.
struct QueryWords {
  Word c0, c2, c3;

  QueryWords(const Dropout& dropout, const std::uint64_t* HWY_RESTRICT query_keys) {
    const Words d64;
    const auto key0 = static_cast<std::uint32_t>(dropout.key);
    const auto key1 = static_cast<std::uint32_t>(dropout.key >> 32U);
    const Word query_key = hn::Load(d64, query_keys);
    const Word product1 = multiply_low(hn::ShiftRight<32>(query_key), kPhiloxMultiplier1);
    const Word first =
        hn::Xor(hn::Xor(hn::ShiftRight<32>(product1), query_key), hn::Set(d64, key0));
    const Word product0 = multiply_low(first, kPhiloxMultiplier0);
    c0 = hn::Xor(product1, hn::Set(d64, key0 + kPhiloxStep0));
    c2 = hn::Xor(hn::ShiftRight<32>(product0), hn::Set(d64, key1 + kPhiloxStep1));
    c3 = product0;
  }
};

struct KeyWords {
  std::uint32_t c0, c1, c2;

  KeyWords(const Dropout& dropout, std::uint32_t part, std::int64_t key) {
    const std::uint64_t product0 =
        std::uint64_t{kPhiloxMultiplier0} * static_cast<std::uint32_t>(key);
    const std::uint32_t second = static_cast<std::uint32_t>(product0 >> 32U) ^
                                 (dropout.stream + part) ^
                                 static_cast<std::uint32_t>(dropout.key >> 32U);
    const std::uint64_t product1 = std::uint64_t{kPhiloxMultiplier1} * second;
    c0 = static_cast<std::uint32_t>(product1 >> 32U);
    c1 = static_cast<std::uint32_t>(product1);
    c2 = static_cast<std::uint32_t>(product0);
  }
};

HWY_INLINE Word kept_heads(const Dropout& dropout, const QueryWords& query, const KeyWords& key) {
  const Words d64;
  PhiloxState state{hn::Xor(query.c0, hn::Set(d64, key.c0)), hn::Set(d64, key.c1),
                    hn::Xor(query.c2, hn::Set(d64, key.c2)), query.c3};
  auto key0 = static_cast<std::uint32_t>(dropout.key) + 2 * kPhiloxStep0;
  auto key1 = static_cast<std::uint32_t>(dropout.key >> 32U) + 2 * kPhiloxStep1;
#pragma GCC unroll 8
  for (int round = 2; round < kDropoutRounds; ++round) {
    philox_round(state, hn::Set(d64, key0), hn::Set(d64, key1));
    key0 += kPhiloxStep0;
    key1 += kPhiloxStep1;
  }
  return kept_heads(state, dropout.threshold);
}

// bytes[key][query] for a range of keys; rows are padded to round_up(queries), at most
// kTileQueries. `pattern` says which token of the sentence a key is.
inline void keep_weights(const Dropout& dropout, std::uint32_t part,
                         const std::uint64_t* HWY_RESTRICT query_keys, std::int64_t queries,
                         const KeyRange& keys, const AttentionPattern& pattern,
                         std::uint8_t* HWY_RESTRICT bytes) {
  const hn::ScalableTag<std::uint32_t> d32;
  const hn::Rebind<std::uint8_t, Floats> d8;
  const std::int64_t width = round_up(queries);
  HWY_ALIGN std::uint64_t even[kTileQueries / 2];
  HWY_ALIGN std::uint64_t odd[kTileQueries / 2];
  for (std::int64_t pair = 0; pair < width / 2; ++pair) {
    even[pair] = query_keys[std::min(2 * pair, queries - 1)];
    odd[pair] = query_keys[std::min(2 * pair + 1, queries - 1)];
  }
  for (std::int64_t lane = 0; lane < width; lane += kLanes) {
    const QueryWords even_queries(dropout, even + lane / 2);
    const QueryWords odd_queries(dropout, odd + lane / 2);
    for (std::int64_t key = keys.begin; key < keys.end; ++key) {
      const KeyWords words(dropout, part, pattern.phase + key * pattern.step);
      const Word heads = hn::Or(kept_heads(dropout, even_queries, words),
                                hn::ShiftLeft<32>(kept_heads(dropout, odd_queries, words)));
      const auto lanes = hn::BitCast(d32, hn::Or(heads, hn::ShiftRight<16>(heads)));
      hn::StoreU(hn::TruncateTo(d8, lanes), d8, bytes + key * width + lane);
    }
  }
}

// The same for the eight heads around `unit.head`, in `scratch`; null without dropout.
inline const std::uint8_t* keep_weights(const HeadQueries& unit, Scratch<std::uint8_t>& scratch) {
  if (!unit.args.dropout) {
    return nullptr;
  }
  std::uint8_t* bytes = elements_of(scratch, unit.seen * round_up(unit.count));
  for (const KeyRange& keys : unit.ranges) {
    keep_weights(unit.args.dropout, static_cast<std::uint32_t>(unit.head / 8),
                 unit.args.q_keys + unit.first_row(), unit.count, keys, unit.args.pattern, bytes);
  }
  return bytes;
}

}  // namespace yona::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
