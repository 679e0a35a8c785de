// The integer work of attention by locality-sensitive hashing (lsh_args.h) that the backends of the
// host share: sorting tokens by their buckets, and finding what a step of decoding sees.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "yona/backend/lsh_sight.h"

namespace yona {

// The rows of the keys that a row's query sees, and of the queries that see a row's key. Valid
// until the thread's next call.
inline const std::vector<std::int64_t>& lsh_keys(const LshAttentionArgs& args, std::int64_t row) {
  thread_local std::vector<std::int64_t> rows;
  rows.clear();
  const std::int64_t head = row % args.heads;
  LshSight(args, head).for_each_key(args.first + row / args.heads, [&](std::int64_t token) {
    rows.push_back(token * args.heads + head);
  });
  return rows;
}
inline const std::vector<std::int64_t>& lsh_queries(const LshAttentionArgs& args,
                                                    std::int64_t row) {
  thread_local std::vector<std::int64_t> rows;
  rows.clear();
  const std::int64_t head = row % args.heads;
  LshSight(args, head).for_each_query(row / args.heads, [&](std::int64_t token) {
    rows.push_back(token * args.heads + head);
  });
  return rows;
}

// The tokens of one sentence, round and head: counted, then put where their bucket is.
template <class T>
void sort_lsh_sentence(const LshOrderArgs& args, std::int64_t round, std::int64_t head,
                       std::int64_t begin, std::int64_t end) {
  const std::int64_t at = (round * args.heads + head) * args.order.tokens;
  const auto bucket = [&](std::int64_t t) {
    return static_cast<std::size_t>(args.buckets.row<T>(t * args.heads + head)[round]);
  };
  std::vector<std::int32_t> first(static_cast<std::size_t>(args.count) + 1, 0);
  first[0] = static_cast<std::int32_t>(begin);
  for (std::int64_t t = begin; t < end; ++t) {
    ++first[bucket(t) + 1];
  }
  for (std::size_t b = 1; b < first.size(); ++b) {
    first[b] += first[b - 1];
  }
  std::vector<std::int32_t> next = first;
  for (std::int64_t t = begin; t < end; ++t) {
    const std::int32_t place = next[bucket(t)]++;
    args.order.order[at + place] = static_cast<std::int32_t>(t);
    args.order.place[at + t] = place;
    args.order.begin[at + t] = first[bucket(t)];
    args.order.end[at + t] = first[bucket(t) + 1];
  }
}

// One head of a row of decoding. Of each round: the bucket of the newest token, and the first of
// the tokens before it that it sees.
template <class T>
class LshTableRow {
 public:
  LshTableRow(const LshTableArgs& args, std::int64_t row, std::int64_t head)
      : args_(args), row_(row), head_(head) {
    const bool has_place = args.places != nullptr;
    newest_ = has_place ? args.counts[row] : args.counts[row] - 1;
    if (has_place && args.places[row] < 0) {
      newest_ = -1;
    }
  }

  void write() {
    std::int32_t* const seen = args_.seen + (row_ * args_.heads + head_) * args_.most;
    std::int32_t count = 0;
    for (std::int64_t round = 0; round < args_.buckets.cols && newest_ >= 0; ++round) {
      first_.push_back(first_seen(round));
      for (std::int64_t j = first_.back(); j < newest_; ++j) {
        if (alike(round, j) && is_new(round, j)) {
          seen[count++] = static_cast<std::int32_t>(row_of(j));
        }
      }
    }
    if (count == 0 && newest_ >= 0) {
      seen[count++] = static_cast<std::int32_t>(row_of(newest_));
    }
    args_.seen_counts[row_ * args_.heads + head_] = count;
  }

 private:
  // Of the j-th token: its row of a head.
  std::int64_t row_of(std::int64_t j) const {
    const std::int64_t row =
        args_.places != nullptr && j == newest_ ? std::int64_t{args_.places[row_]}
        : args_.table != nullptr ? std::int64_t{args_.table[row_ * args_.table_stride + j]}
                                 : args_.first[row_] + j;
    return row * args_.heads + head_;
  }
  bool alike(std::int64_t round, std::int64_t j) const {
    return args_.buckets.row<T>(row_of(j))[round] == args_.buckets.row<T>(row_of(newest_))[round];
  }
  // Of n tokens before the newest in its bucket, those of its chunk and of the chunk before.
  std::int64_t first_seen(std::int64_t round) const {
    std::int64_t n = 0;
    for (std::int64_t j = 0; j < newest_; ++j) {
      n += alike(round, j) ? 1 : 0;
    }
    std::int64_t wanted = n - std::max<std::int64_t>(n / args_.chunk - 1, 0) * args_.chunk;
    std::int64_t j = newest_;
    while (wanted > 0) {
      --j;
      wanted -= alike(round, j) ? 1 : 0;
    }
    return j;
  }
  bool is_new(std::int64_t round, std::int64_t j) const {
    for (std::int64_t earlier = 0; earlier < round; ++earlier) {
      if (j >= first_[static_cast<std::size_t>(earlier)] && alike(earlier, j)) {
        return false;
      }
    }
    return true;
  }

  const LshTableArgs& args_;
  std::int64_t row_, head_, newest_ = -1;
  std::vector<std::int64_t> first_;
};

}  // namespace yona
