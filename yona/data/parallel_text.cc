// Looking up pairs in their corpus, and putting them into batches.

#include "yona/data/parallel_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/data/pair_cache.h"

namespace yona {

namespace {

constexpr std::array kSides{kSource, kTarget};

constexpr std::uint64_t kMeasuredPairs = 1000;  // per corpus, spread evenly
constexpr double kExpansionMargin = 1.03;       // a batch's sum varies less than this

void check_names(const std::vector<CorpusSpec>& corpora) {
  check(!corpora.empty(), "data: no corpus is given");
  check(corpora.size() < (1U << 16U), "data: {} corpora are more than 65,535", corpora.size());
  for (auto corpus = corpora.begin(); corpus != corpora.end(); ++corpus) {
    check(std::none_of(corpora.begin(), corpus,
                       [&](const CorpusSpec& other) { return other.name == corpus->name; }),
          "data: two corpora are named {}; give each its own name", corpus->name);
  }
}

void check_sampling(const PairEncoder& encoder, double alpha) {
  for (const SideEncoder* side : {&encoder.source, &encoder.target}) {
    check<NotImplemented>(
        !side->subword.model().empty(),
        "data.sampling: this model's sub-words are not a SentencePiece model, and "
        "cannot be drawn at random; leave it out");
  }
  const bool is_bpe = encoder.source.subword.algorithm() == SubwordAlgorithm::bpe;
  check(std::isfinite(alpha) && alpha > 0 && (!is_bpe || alpha < 1),
        "data: sub-word sampling of {} is out of range: for BPE it is the probability of leaving "
        "out a merge, such as 0.1; for unigram an exponent above 0, such as 0.2",
        alpha);
}

}  // namespace

ParallelText ParallelText::open(const std::vector<CorpusSpec>& corpora, const PairEncoder& encoder,
                                const ParallelTextOptions& options,
                                const std::filesystem::path& folder, ThreadPool& pool) {
  check_names(corpora);
  if (options.sampling.has_value()) {
    check_sampling(encoder, *options.sampling);
  }
  ParallelText text(options);
  const TokenizeOptions tokenize{
      options.max_length, options.sampling.has_value() ? CacheContent::text : CacheContent::tokens};
  for (const CorpusSpec& corpus : corpora) {
    TokenCache cache = open_pair_cache(corpus, encoder, tokenize, folder, pool);
    text.add_part(corpus.name, corpus.weight, cache.examples(), cache.digest());
    text.corpora_.push_back({std::move(cache),
                             {encoder.source.with_tags(corpus.source_tags),
                              encoder.target.with_tags(corpus.target_tags)}});
  }
  if (options.sampling.has_value()) {
    text.measure_expansion();
  }
  return text;
}

ParallelText::Place ParallelText::place_of(std::uint64_t pair) const {
  const std::size_t index = part_of(pair);
  return {index, corpora_[index], pair - parts()[index].first};
}

Examples::Lengths ParallelText::lengths(std::uint64_t pair) const {
  const Place place = place_of(pair);
  Lengths lengths{};
  for (const std::size_t side : kSides) {
    lengths[side] = static_cast<std::int64_t>(
        std::ceil(expansion_ * place.corpus.cache.tokens(place.pair, side)));
  }
  return lengths;
}

void ParallelText::measure_expansion() {
  std::array<double, 2> best{};
  std::array<double, 2> sampled{};
  std::vector<std::int32_t> ids;
  for (std::size_t index = 0; index < corpora_.size(); ++index) {
    const std::uint64_t pairs = parts()[index].count;
    const std::uint64_t step = std::max<std::uint64_t>(1, pairs / kMeasuredPairs);
    for (std::uint64_t pair = 0; pair < pairs; pair += step) {
      for (const std::size_t side : kSides) {
        best[side] += corpora_[index].cache.tokens(pair, side);
        ids.clear();
        sample_side({index, corpora_[index], pair}, side,
                    mix(hash_name("sub-word expansion"), pair), ids);
        sampled[side] += static_cast<double>(ids.size());
      }
    }
  }
  const double ratio = std::max(sampled[0] / best[0], sampled[1] / best[1]);
  expansion_ = std::max(1.0, ratio * kExpansionMargin);
}

void ParallelText::sample_side(const Place& place, std::size_t side, std::uint64_t key,
                               std::vector<std::int32_t>& ids) const {
  const SideEncoder& encoder = place.corpus.sides[side];
  const std::string_view text = place.corpus.cache.text(place.pair, side);
  const std::size_t begin = ids.size();
  encoder.sample(text, *options_.sampling, mix(key, side), ids);
  if (static_cast<std::int64_t>(ids.size() - begin) > options_.max_length) {
    ids.resize(begin);
    encoder.encode(text, ids);
  }
}

void ParallelText::append_best(const Place& place, Batch& batch) const {
  const TokenCache& cache = place.corpus.cache;
  for (const std::size_t side : kSides) {
    if (options_.sampling.has_value()) {
      place.corpus.sides[side].encode(cache.text(place.pair, side), batch.sides[side].ids);
    } else {
      cache.append(place.pair, side, batch.sides[side].ids);
    }
  }
}

void ParallelText::append_sampled(const Place& place, const Draw& draw, Batch& batch) const {
  const std::uint64_t key =
      mix(mix(mix(draw.seed, hash_name("sub-words")), static_cast<std::uint64_t>(draw.epoch)),
          example_id(place.index, place.corpus.cache.line(place.pair)));
  for (const std::size_t side : kSides) {
    sample_side(place, side, key, batch.sides[side].ids);
  }
}

void ParallelText::fill(std::span<const std::uint32_t> pairs, std::int64_t batch_tokens,
                        const Draw& draw, Batch& batch) const {
  std::size_t best_from = options_.sampling.has_value() ? pairs.size() : 0;
  for (;;) {
    batch.clear();
    for (std::size_t at = 0; at < pairs.size(); ++at) {
      const Place place = place_of(pairs[at]);
      if (at < best_from) {
        append_sampled(place, draw, batch);
      } else {
        append_best(place, batch);
      }
      for (const std::size_t side : kSides) {
        batch.sides[side].end_example();
      }
      const TokenCache& cache = place.corpus.cache;
      batch.example_ids.push_back(example_id(place.index, cache.line(place.pair)));
      batch.weights.push_back(cache.weight(place.pair));
    }
    if (best_from == 0 ||
        std::max(batch.sides[kSource].rows(), batch.sides[kTarget].rows()) <= batch_tokens) {
      return;
    }
    best_from = first_best(pairs, batch_tokens, batch);
  }
}

// The first sentence from which on the best sub-words make the sampled batch fit.
std::size_t ParallelText::first_best(std::span<const std::uint32_t> pairs,
                                     std::int64_t batch_tokens, const Batch& batch) const {
  std::array<std::int64_t, 2> rows{batch.sides[kSource].rows(), batch.sides[kTarget].rows()};
  std::size_t at = pairs.size();
  while (at > 0 && std::max(rows[0], rows[1]) > batch_tokens) {
    --at;
    const Place place = place_of(pairs[at]);
    for (const std::size_t side : kSides) {
      rows[side] += place.corpus.cache.tokens(place.pair, side) - batch.sides[side].rows_of(at);
    }
  }
  return at;
}

}  // namespace yona
