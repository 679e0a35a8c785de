// The corpora of a run as one numbered set of sentence pairs: 0 … pairs() - 1, corpus after corpus.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "yona/base/thread_pool.h"
#include "yona/data/batch.h"
#include "yona/data/corpus.h"
#include "yona/data/token_cache.h"
#include "yona/text/pair_encoder.h"

namespace yona {

struct DatasetOptions {
  std::int64_t max_length = 256;  // tokens of a side, tags and </s> included
  // Sub-words drawn anew each epoch, with this alpha (see Subword::sample); none: the best ones.
  std::optional<double> sampling;
};

// Immutable once made; every call is thread-safe.
class Dataset {
 public:
  struct Part {
    std::string name;
    double weight = 1;
    std::uint64_t first = 0;  // its first pair
    std::uint64_t pairs = 0;
    TokenCache cache;
    SideEncoder source, target;  // with its tags
  };
  // Which draw of the sub-words a batch holds.
  struct Draw {
    std::uint64_t seed = 0;
    std::int64_t epoch = 0;
  };

  // Opens or builds the cache of each corpus in `folder`: throws what TokenCache::open throws, and
  // InvalidArgument when there is no corpus, a name is used twice, or there are 2^32 pairs or more,
  // and NotImplemented for sampling from sub-words that cannot be sampled.
  static Dataset open(const std::vector<CorpusSpec>& corpora, const PairEncoder& encoder,
                      const DatasetOptions& options, const std::filesystem::path& folder,
                      ThreadPool& pool);

  std::uint64_t pairs() const { return pairs_; }
  const std::vector<Part>& parts() const { return parts_; }
  const Part& part_of(std::uint64_t pair) const;

  // Lengths that batches are planned with, tags and </s> included. Sampled sub-words come out
  // longer than the best ones by a factor measured on the corpora; it is applied here.
  std::int64_t planned_source(std::uint64_t pair) const;
  std::int64_t planned_target(std::uint64_t pair) const;

  // Replaces the content of `batch` by these pairs (epoch and index excepted). With sampling, no
  // side of a sentence gets longer than max_length and no side of the batch than `batch_tokens`:
  // sentences that would, are given their best sub-words, the last of the batch first.
  void fill(std::span<const std::uint32_t> pairs, std::int64_t batch_tokens, const Draw& draw,
            PairBatch& batch) const;

  // Text of a pair's document id as a number; 0 when its corpus has none.
  std::uint64_t document(std::uint64_t pair) const;

 private:
  explicit Dataset(const DatasetOptions& options) : options_(options) {}
  void measure_expansion();
  void append_best(const Part& part, std::uint64_t pair, PairBatch& batch) const;
  void append_sampled(const Part& part, std::uint64_t pair, const Draw& draw,
                      PairBatch& batch) const;
  void sample_side(const Part& part, std::uint64_t pair, bool is_source, std::uint64_t key,
                   std::vector<std::int32_t>& ids) const;
  void encode_side(const Part& part, std::uint64_t pair, bool is_source,
                   std::vector<std::int32_t>& ids) const;
  std::size_t first_best(std::span<const std::uint32_t> pairs, std::int64_t batch_tokens,
                         const PairBatch& batch) const;

  DatasetOptions options_;
  std::vector<Part> parts_;
  std::uint64_t pairs_ = 0;
  double expansion_ = 1;
};

}  // namespace yona
