// Attention of one new token in each row over what a cache holds: a step of incremental decoding.
#pragma once

#include <memory>
#include <vector>

#include "yona/tensor/ops/attention.h"

namespace yona {

// Queries of one sequence that follow each other (a prompt), and the rows of the cache that hold
// all its keys and values, theirs included. A query sees those up to its own. Or the whole prompts
// of several sequences, whose keys and values are those of this step.
struct QueryBlock {
  std::int64_t row = 0;                         // of the first query
  std::int64_t first = 0;                       // row of the cache; -1: those of this step
  std::shared_ptr<const Layout> queries, keys;  // one sentence each; or the same, of several
};

// What the queries of a step see: rows of a cache, each a key and a value side by side.
struct CachedKeys {
  Tensor keys_and_values;  // [N, h·d_k + h·d_v]
  Tensor counts;           // i32 [rows]: how many rows of the cache a query sees
  Tensor table{};          // i32 [rows, most]: which; or empty, then they follow each other
  Tensor first{};          // i64 [rows]: from this one on
  // This step's keys and values [rows, h·d_k + h·d_v], when they are not in the cache yet: the op
  // puts those of row r at places[r] (i32 [rows]; -1: nowhere), and row r sees them too.
  Tensor fresh{}, places{};
  // The queries after those that have counts. Their keys and values are in the cache, or are the
  // rows of `fresh` after those.
  std::vector<QueryBlock> blocks{};
};

// q [rows, h·d_k] → [rows, h·d_v]. options.bias counts distances from the newest row that a query
// sees; mask, prefix and dropout are not used (blocks are causal). Without a backward pass. The
// plain composition is attention() over the whole sentence, last row.
Tensor cached_attention(const Tensor& q, const CachedKeys& keys, const AttentionOptions& options,
                        Context& c);
// The same with the scores of additive_attention().
Tensor cached_additive_attention(const Tensor& q, const CachedKeys& keys, const Tensor& vector,
                                 const AttentionOptions& options, Context& c);
// The same with the scores of performer_attention(), which are formed again of all keys that a
// query sees: O(n · m · d_k) for each head of a step.
Tensor cached_performer_attention(const Tensor& q, const CachedKeys& keys, const Tensor& features,
                                  const AttentionOptions& options, Context& c);

}  // namespace yona
