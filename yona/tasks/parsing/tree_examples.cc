#include "yona/tasks/parsing/tree_examples.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/random.h"
#include "yona/data/cache_key.h"
#include "yona/trees/treebank.h"

namespace yona {

namespace {

constexpr std::size_t kMeasuredTrees = 1000;
constexpr double kTreeMargin = 1.03;  // a batch's sum varies less than this

std::int64_t size_of(const std::vector<std::int32_t>& ids) {
  return static_cast<std::int64_t>(ids.size());
}

std::uint64_t ids_checksum(const std::vector<std::int32_t>& ids, std::uint64_t sum) {
  return checksum({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(ids[0])}, sum);
}

}  // namespace

TreeExamples::TreeExamples(std::vector<Tree> trees, const PairEncoder& encoder,
                           TreeExamplesOptions options)
    : trees_(std::move(trees)), encoder_(encoder), options_(std::move(options)) {
  keep_short();
  if (options_.substitution > 0) {
    substitution_ = std::make_unique<TreeSubstitution>(trees_);
  }
  std::uint64_t sum = 0;
  for (const Ids& ids : ids_) {
    sum = ids_checksum(ids.target, ids_checksum(ids.source, sum));
  }
  add_part(options_.name, 1.0, ids_.size(), fmt::format("{:016x}", sum));
  if (draws()) {
    measure_expansion();
  }
}

void TreeExamples::keep_short() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < trees_.size(); ++i) {
    Ids ids = encoded(trees_[i]);
    if (!is_short(ids)) {
      ++left_out_;
      continue;
    }
    ids_.push_back(std::move(ids));
    numbers_.push_back(i);
    std::swap(trees_[kept++], trees_[i]);
  }
  trees_.resize(kept);
  check(kept > 0, "data.{}: all {} trees are longer than data.max_length {}", options_.name,
        left_out_, options_.max_length);
}

bool TreeExamples::is_short(const Ids& ids) const {
  return std::max(size_of(ids.source), size_of(ids.target)) <= options_.max_length;
}

TreeExamples::Ids TreeExamples::encoded(const Tree& tree) const {
  Ids ids;
  encoder_.source.encode(model_line(tree.words()), ids.source);
  encoder_.target.encode(symbol_line(tree, options_.leaves), ids.target);
  return ids;
}

TreeExamples::Ids TreeExamples::drawn(std::uint64_t example, std::uint64_t key) const {
  const Tree& tree = trees_[example];
  const bool is_new = substitution_ != nullptr;
  const Tree other =
      is_new ? substitution_->draw(tree, options_.substitution, mix(key, 0)) : Tree();
  if (options_.sampling == 0) {
    return encoded(other);
  }
  Ids ids;
  encoder_.source.sample(model_line((is_new ? other : tree).words()), options_.sampling,
                         mix(key, 1), ids.source);
  if (is_new) {
    encoder_.target.encode(symbol_line(other, options_.leaves), ids.target);
  } else {
    ids.target = ids_[example].target;
  }
  return ids;
}

void TreeExamples::measure_expansion() {
  double best_source = 0, best_target = 0, drawn_source = 0, drawn_target = 0;
  const std::size_t step = std::max<std::size_t>(1, ids_.size() / kMeasuredTrees);
  for (std::size_t i = 0; i < ids_.size(); i += step) {
    const Ids other = drawn(i, mix(hash_name("tree expansion"), i));
    best_source += static_cast<double>(ids_[i].source.size());
    best_target += static_cast<double>(ids_[i].target.size());
    drawn_source += static_cast<double>(other.source.size());
    drawn_target += static_cast<double>(other.target.size());
  }
  const double ratio = std::max(drawn_source / best_source, drawn_target / best_target);
  expansion_ = std::max(1.0, ratio * kTreeMargin);
}

Examples::Lengths TreeExamples::lengths(std::uint64_t example) const {
  const auto planned = [&](const std::vector<std::int32_t>& ids) {
    return static_cast<std::int64_t>(std::ceil(expansion_ * static_cast<double>(ids.size())));
  };
  Lengths lengths{};
  lengths[kSource] = planned(ids_[example].source);
  lengths[kTarget] = planned(ids_[example].target);
  return lengths;
}

void TreeExamples::fill(std::span<const std::uint32_t> examples, std::int64_t batch_tokens,
                        const Draw& draw, Batch& batch) const {
  batch.clear();
  std::int64_t source_left = batch_tokens;  // when all that follow are as they are
  std::int64_t target_left = batch_tokens;
  for (const std::uint32_t example : examples) {
    source_left -= size_of(ids_[example].source);
    target_left -= size_of(ids_[example].target);
  }
  const auto append = [&](const Ids& ids) {
    batch.sides[kSource].ids.insert(batch.sides[kSource].ids.end(), ids.source.begin(),
                                    ids.source.end());
    batch.sides[kTarget].ids.insert(batch.sides[kTarget].ids.end(), ids.target.begin(),
                                    ids.target.end());
  };
  const std::uint64_t epoch_key =
      mix(mix(draw.seed, hash_name("trees")), static_cast<std::uint64_t>(draw.epoch));
  for (const std::uint32_t example : examples) {
    const Ids& best = ids_[example];
    const Ids other = draws() ? drawn(example, mix(epoch_key, numbers_[example])) : Ids{};
    const std::int64_t more_source = size_of(other.source) - size_of(best.source);
    const std::int64_t more_target = size_of(other.target) - size_of(best.target);
    if (draws() && is_short(other) && more_source <= source_left && more_target <= target_left) {
      append(other);
      source_left -= more_source;
      target_left -= more_target;
    } else {
      append(best);
    }
    batch.sides[kSource].end_example();
    batch.sides[kTarget].end_example();
    batch.example_ids.push_back(example_id(0, numbers_[example]));
    batch.weights.push_back(1.0F);
  }
}

}  // namespace yona
