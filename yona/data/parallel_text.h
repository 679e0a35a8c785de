// The parallel corpora of a run as one numbered set of sentence pairs, corpus after corpus.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "yona/base/thread_pool.h"
#include "yona/data/corpus.h"
#include "yona/data/examples.h"
#include "yona/data/token_cache.h"
#include "yona/text/pair_encoder.h"

namespace yona {

struct ParallelTextOptions {
  std::int64_t max_length = 256;  // tokens of a side, tags and </s> included
  // Sub-words drawn again each epoch, with this alpha (see Subword::sample); none: the best ones.
  std::optional<double> sampling;
};

class ParallelText : public Examples {
 public:
  // Opens or builds the cache of each corpus in `folder`: throws what open_pair_cache throws, and
  // InvalidArgument when there is no corpus, a name is used twice, or there are 2^32 pairs or more,
  // and NotImplemented for sampling from sub-words that cannot be sampled.
  static ParallelText open(const std::vector<CorpusSpec>& corpora, const PairEncoder& encoder,
                           const ParallelTextOptions& options, const std::filesystem::path& folder,
                           ThreadPool& pool);

  // What was met while reading corpus i.
  const CorpusReport& report(std::size_t corpus) const { return corpora_[corpus].cache.report(); }

  // Tags and </s> included. Sampled sub-words come out longer than the best ones by a factor
  // measured on the corpora; it is applied here.
  Lengths lengths(std::uint64_t pair) const override;

  // With sampling, no side of a sentence gets longer than max_length and no side of the batch than
  // `batch_tokens`: sentences that would, are given their best sub-words, the last of the batch
  // first.
  void fill(std::span<const std::uint32_t> pairs, std::int64_t batch_tokens, const Draw& draw,
            Batch& batch) const override;

 private:
  struct Corpus {
    TokenCache cache;
    std::array<SideEncoder, 2> sides;  // with its tags
  };
  struct Place {  // of a pair
    std::size_t index;
    const Corpus& corpus;
    std::uint64_t pair;  // in the corpus
  };

  explicit ParallelText(const ParallelTextOptions& options) : options_(options) {}
  Place place_of(std::uint64_t pair) const;
  void measure_expansion();
  void append_best(const Place& place, Batch& batch) const;
  void append_sampled(const Place& place, const Draw& draw, Batch& batch) const;
  void sample_side(const Place& place, std::size_t side, std::uint64_t key,
                   std::vector<std::int32_t>& ids) const;
  std::size_t first_best(std::span<const std::uint32_t> pairs, std::int64_t batch_tokens,
                         const Batch& batch) const;

  ParallelTextOptions options_;
  std::vector<Corpus> corpora_;
  double expansion_ = 1;
};

}  // namespace yona
