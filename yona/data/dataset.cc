// Looking up pairs in their corpus, and putting them into batches.

#include "yona/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/random.h"

namespace yona {

namespace {

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
    check<NotImplemented>(!side->subword.model().empty(),
                          "data.sampling: this model's sub-words are no SentencePiece model, and "
                          "cannot be drawn at random; leave it out");
  }
  const bool is_bpe = encoder.source.subword.algorithm() == SubwordAlgorithm::bpe;
  check(std::isfinite(alpha) && alpha > 0 && (!is_bpe || alpha < 1),
        "data: sub-word sampling of {} is out of range: for BPE it is the probability of leaving "
        "out a merge, such as 0.1; for unigram an exponent above 0, such as 0.2",
        alpha);
}

}  // namespace

Dataset Dataset::open(const std::vector<CorpusSpec>& corpora, const PairEncoder& encoder,
                      const DatasetOptions& options, const std::filesystem::path& folder,
                      ThreadPool& pool) {
  check_names(corpora);
  if (options.sampling.has_value()) {
    check_sampling(encoder, *options.sampling);
  }
  Dataset dataset(options);
  const TokenizeOptions tokenize{
      options.max_length, options.sampling.has_value() ? CacheContent::text : CacheContent::tokens};
  for (const CorpusSpec& corpus : corpora) {
    TokenCache cache = TokenCache::open(corpus, encoder, tokenize, folder, pool);
    const std::uint64_t pairs = cache.pairs();
    dataset.parts_.push_back({corpus.name, corpus.weight, dataset.pairs_, pairs, std::move(cache),
                              encoder.source.with_tags(corpus.source_tags),
                              encoder.target.with_tags(corpus.target_tags)});
    dataset.pairs_ += pairs;
  }
  check(dataset.pairs_ < std::numeric_limits<std::uint32_t>::max(),
        "data: {} sentence pairs are more than 2^32 - 2", dataset.pairs_);
  if (options.sampling.has_value()) {
    dataset.measure_expansion();
  }
  return dataset;
}

const Dataset::Part& Dataset::part_of(std::uint64_t pair) const {
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), pair,
                       [](std::uint64_t value, const Part& part) { return value < part.first; });
  return *(after - 1);
}

std::uint64_t Dataset::document(std::uint64_t pair) const {
  const Part& part = part_of(pair);
  return part.cache.document(pair - part.first);
}

std::int64_t Dataset::planned_source(std::uint64_t pair) const {
  const Part& part = part_of(pair);
  return static_cast<std::int64_t>(
      std::ceil(expansion_ * part.cache.source_tokens(pair - part.first)));
}

std::int64_t Dataset::planned_target(std::uint64_t pair) const {
  const Part& part = part_of(pair);
  return static_cast<std::int64_t>(
      std::ceil(expansion_ * part.cache.target_tokens(pair - part.first)));
}

void Dataset::measure_expansion() {
  double best[2] = {0, 0};
  double sampled[2] = {0, 0};
  std::vector<std::int32_t> ids;
  for (const Part& part : parts_) {
    const std::uint64_t step = std::max<std::uint64_t>(1, part.pairs / kMeasuredPairs);
    for (std::uint64_t pair = 0; pair < part.pairs; pair += step) {
      best[0] += part.cache.source_tokens(pair);
      best[1] += part.cache.target_tokens(pair);
      for (const bool is_source : {true, false}) {
        ids.clear();
        sample_side(part, pair, is_source, mix(hash_name("sub-word expansion"), pair), ids);
        sampled[is_source ? 0 : 1] += static_cast<double>(ids.size());
      }
    }
  }
  const double ratio = std::max(sampled[0] / best[0], sampled[1] / best[1]);
  expansion_ = std::max(1.0, ratio * kExpansionMargin);
}

void Dataset::encode_side(const Part& part, std::uint64_t pair, bool is_source,
                          std::vector<std::int32_t>& ids) const {
  const SideEncoder& side = is_source ? part.source : part.target;
  side.encode(is_source ? part.cache.source_text(pair) : part.cache.target_text(pair), ids);
}

void Dataset::sample_side(const Part& part, std::uint64_t pair, bool is_source, std::uint64_t key,
                          std::vector<std::int32_t>& ids) const {
  const SideEncoder& side = is_source ? part.source : part.target;
  const std::size_t begin = ids.size();
  side.sample(is_source ? part.cache.source_text(pair) : part.cache.target_text(pair),
              *options_.sampling, mix(key, is_source ? 0 : 1), ids);
  if (static_cast<std::int64_t>(ids.size() - begin) > options_.max_length) {
    ids.resize(begin);
    encode_side(part, pair, is_source, ids);
  }
}

void Dataset::append_best(const Part& part, std::uint64_t pair, PairBatch& batch) const {
  if (options_.sampling.has_value()) {
    encode_side(part, pair, true, batch.source.ids);
    encode_side(part, pair, false, batch.target.ids);
  } else {
    part.cache.append_source(pair, batch.source.ids);
    part.cache.append_target(pair, batch.target.ids);
  }
}

void Dataset::append_sampled(const Part& part, std::uint64_t pair, const Draw& draw,
                             PairBatch& batch) const {
  const auto corpus = static_cast<std::uint64_t>(&part - parts_.data());
  const std::uint64_t key =
      mix(mix(mix(draw.seed, hash_name("sub-words")), static_cast<std::uint64_t>(draw.epoch)),
          sentence_id(corpus, part.cache.line(pair)));
  sample_side(part, pair, true, key, batch.source.ids);
  sample_side(part, pair, false, key, batch.target.ids);
}

void Dataset::fill(std::span<const std::uint32_t> pairs, std::int64_t batch_tokens,
                   const Draw& draw, PairBatch& batch) const {
  std::size_t best_from = options_.sampling.has_value() ? pairs.size() : 0;
  for (;;) {
    batch.clear();
    for (std::size_t at = 0; at < pairs.size(); ++at) {
      const Part& part = part_of(pairs[at]);
      const std::uint64_t pair = pairs[at] - part.first;
      if (at < best_from) {
        append_sampled(part, pair, draw, batch);
      } else {
        append_best(part, pair, batch);
      }
      batch.source.end_sentence();
      batch.target.end_sentence();
      batch.sentence_ids.push_back(
          sentence_id(static_cast<std::uint64_t>(&part - parts_.data()), part.cache.line(pair)));
      batch.weights.push_back(part.cache.weight(pair));
    }
    if (best_from == 0 || std::max(batch.source.tokens(), batch.target.tokens()) <= batch_tokens) {
      return;
    }
    best_from = first_best(pairs, batch_tokens, batch);
  }
}

// The first sentence from which on the best sub-words make the sampled batch fit.
std::size_t Dataset::first_best(std::span<const std::uint32_t> pairs, std::int64_t batch_tokens,
                                const PairBatch& batch) const {
  std::int64_t source = batch.source.tokens();
  std::int64_t target = batch.target.tokens();
  std::size_t at = pairs.size();
  while (at > 0 && std::max(source, target) > batch_tokens) {
    --at;
    const Part& part = part_of(pairs[at]);
    const std::uint64_t pair = pairs[at] - part.first;
    source +=
        part.cache.source_tokens(pair) - (batch.source.offsets[at + 1] - batch.source.offsets[at]);
    target +=
        part.cache.target_tokens(pair) - (batch.target.offsets[at + 1] - batch.target.offsets[at]);
  }
  return at;
}

}  // namespace yona
