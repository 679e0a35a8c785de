// Draws, buckets, cuts, shuffles. Every shuffle has a key of its own.

#include "yona/data/batches.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>

#include "yona/base/error.h"
#include "yona/base/random.h"

namespace yona {

namespace {

std::uint64_t key_of(std::uint64_t seed, std::string_view purpose, std::uint64_t a,
                     std::uint64_t b = 0) {
  return mix(mix(mix(seed, hash_name(purpose)), a), b);
}

void shuffle(std::span<std::uint32_t> items, std::uint64_t key) {  // Fisher–Yates
  RandomSequence random(key);
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[random.below(left)]);
  }
}

// Lengths below 8 have a bucket each; above, a doubling is divided into eight.
std::size_t bucket_of(std::int64_t length) {
  const auto value = static_cast<std::uint64_t>(length);
  if (value < 8) {
    return value;
  }
  const auto doubling = static_cast<unsigned>(std::bit_width(value)) - 1;  // 3 and more
  return (std::size_t{doubling} - 2) * 8 + ((value >> (doubling - 3)) & 7U);
}

std::int64_t planned_length(const Examples& examples, std::uint64_t example) {
  const Examples::Lengths lengths = examples.lengths(example);
  return *std::max_element(lengths.begin(), lengths.end());
}

// How many examples beyond whole rounds an epoch takes: at least one when there is a fraction.
std::uint64_t extra_examples(const Examples::Part& part) {
  const double fraction = part.weight - std::floor(part.weight);
  const auto extra =
      static_cast<std::uint64_t>(std::llround(fraction * static_cast<double>(part.count)));
  return fraction > 0 ? std::clamp<std::uint64_t>(extra, 1, part.count) : 0;
}

// The part's fixed random order is a circle; epoch e takes the arc [e · extra, (e + 1) · extra).
void draw_extra(const Examples::Part& part, std::uint64_t seed, std::int64_t epoch,
                std::vector<std::uint32_t>& draws) {
  const std::uint64_t extra = extra_examples(part);
  if (extra == 0) {
    return;
  }
  std::vector<std::uint32_t> circle(part.count);
  std::iota(circle.begin(), circle.end(), static_cast<std::uint32_t>(part.first));
  shuffle(circle, key_of(seed, "corpus share", part.first));
  const std::uint64_t start = static_cast<std::uint64_t>(epoch) % part.count * extra % part.count;
  for (std::uint64_t at = 0; at < extra; ++at) {
    draws.push_back(circle[(start + at) % part.count]);
  }
}

std::vector<std::uint32_t> draw_examples(const Examples& examples, std::uint64_t seed,
                                         std::int64_t epoch) {
  std::vector<std::uint32_t> draws;
  draws.reserve(epoch_examples(examples));
  for (const Examples::Part& part : examples.parts()) {
    for (std::int64_t round = 0; round < static_cast<std::int64_t>(part.weight); ++round) {
      for (std::uint64_t example = 0; example < part.count; ++example) {
        draws.push_back(static_cast<std::uint32_t>(part.first + example));
      }
    }
    draw_extra(part, seed, epoch, draws);
  }
  return draws;
}

// Counting sort by bucket; then each bucket is shuffled.
std::vector<std::uint32_t> sort_into_buckets(const Examples& examples,
                                             const std::vector<std::uint32_t>& draws,
                                             std::uint64_t seed, std::int64_t epoch) {
  std::vector<std::uint64_t> begins;
  for (const std::uint32_t example : draws) {
    const std::size_t bucket = bucket_of(planned_length(examples, example));
    if (bucket + 2 > begins.size()) {
      begins.resize(bucket + 2);
    }
    ++begins[bucket + 1];
  }
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<std::uint32_t> sorted(draws.size());
  std::vector<std::uint64_t> next = begins;
  for (const std::uint32_t example : draws) {
    sorted[next[bucket_of(planned_length(examples, example))]++] = example;
  }
  for (std::size_t bucket = 0; bucket + 1 < begins.size(); ++bucket) {
    const std::uint64_t key =
        key_of(seed, "bucket", static_cast<std::uint64_t>(epoch), std::uint64_t{bucket});
    shuffle(std::span(sorted).subspan(begins[bucket], begins[bucket + 1] - begins[bucket]), key);
  }
  return sorted;
}

void check_budget(std::int64_t batch_tokens) {
  check(batch_tokens > 0, "data: a batch of {} tokens is impossible; choose 1 or more",
        batch_tokens);
}

}  // namespace

std::uint64_t epoch_examples(const Examples& examples) {
  std::uint64_t total = 0;
  for (const Examples::Part& part : examples.parts()) {
    const double whole = std::floor(part.weight) * static_cast<double>(part.count);
    check(whole < 4e9, "data: corpus {} of {} examples with weight {} is too much for one epoch",
          part.name, part.count, part.weight);
    total += static_cast<std::uint64_t>(whole) + extra_examples(part);
  }
  return total;
}

BatchPlan BatchPlan::shuffled(const Examples& examples, std::int64_t batch_tokens,
                              std::uint64_t seed, std::int64_t epoch) {
  check_budget(batch_tokens);
  BatchPlan plan;
  plan.examples_ = sort_into_buckets(examples, draw_examples(examples, seed, epoch), seed, epoch);
  plan.cut(examples, batch_tokens);
  shuffle(plan.order_, key_of(seed, "batches", static_cast<std::uint64_t>(epoch)));
  return plan;
}

BatchPlan BatchPlan::in_order(const Examples& examples, std::int64_t batch_tokens) {
  check_budget(batch_tokens);
  BatchPlan plan;
  plan.examples_.resize(examples.count());
  std::iota(plan.examples_.begin(), plan.examples_.end(), 0U);
  plan.cut(examples, batch_tokens);
  return plan;
}

void BatchPlan::cut(const Examples& examples, std::int64_t batch_tokens) {
  Examples::Lengths totals{};
  for (std::uint64_t at = 0; at < examples_.size(); ++at) {
    const Examples::Lengths lengths = examples.lengths(examples_[at]);
    std::transform(totals.begin(), totals.end(), lengths.begin(), totals.begin(), std::plus<>());
    if (at == 0 || *std::max_element(totals.begin(), totals.end()) > batch_tokens) {
      starts_.push_back(at);
      totals = lengths;
    }
  }
  order_.resize(starts_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  starts_.push_back(examples_.size());
}

std::span<const std::uint32_t> BatchPlan::batch(std::int64_t index) const {
  const std::uint32_t at = order_[static_cast<std::size_t>(index)];
  return std::span(examples_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
}

}  // namespace yona
