#include "yona/train/team.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/parallel/collectives.h"
#include "yona/train/recorded_values.h"

namespace yona {

std::vector<double> Team::in_order(const std::vector<double>& own, std::size_t each,
                                   std::int64_t count) const {
  if (ranks_ == nullptr) {
    return own;
  }
  const auto ranks = static_cast<std::size_t>(size());
  const auto total = static_cast<std::size_t>(count);
  const std::size_t rounds = (total + ranks - 1) / ranks;
  std::vector<double> padded = own;
  padded.resize(rounds * each);
  std::vector<double> all(padded.size() * ranks);
  ranks_->all_gather(padded.data(), all.data(),
                     static_cast<std::int64_t>(padded.size() * sizeof(double)));
  std::vector<double> ordered;
  ordered.reserve(total * each);
  for (std::size_t micro = 0; micro < total; ++micro) {
    const auto at =
        all.begin() + static_cast<std::ptrdiff_t>((micro % ranks * rounds + micro / ranks) * each);
    ordered.insert(ordered.end(), at, at + static_cast<std::ptrdiff_t>(each));
  }
  return ordered;
}

void Team::follow_leader(std::span<double> values) const {
  if (ranks_ == nullptr) {
    return;
  }
  std::vector<double> all(values.size() * static_cast<std::size_t>(size()));
  ranks_->all_gather(values.data(), all.data(), static_cast<std::int64_t>(values.size_bytes()));
  std::copy_n(all.begin(), values.size(), values.begin());
}

std::optional<int> Team::first_with(bool holds) const {
  std::vector<double> all = in_order({holds ? 1.0 : 0.0}, 1, size());
  const auto found = std::find(all.begin(), all.end(), 1.0);
  return found == all.end() ? std::nullopt : std::optional(static_cast<int>(found - all.begin()));
}

std::string Team::from_leader(const std::string& text) const {
  return ranks_ == nullptr ? text : broadcast_text(*ranks_, text);
}

void Team::check_none(const std::string& difference) const {
  if (ranks_ == nullptr) {
    return;
  }
  const std::vector<std::string> all = gather_texts(*ranks_, difference);
  const auto found = std::find_if(all.begin(), all.end(), [](const auto& s) { return !s.empty(); });
  check(found == all.end(), "rank {} differs from rank 0: {}", found - all.begin(),
        found == all.end() ? "" : *found);
}

void Team::check_same(const Json& asked) const {
  if (ranks_ == nullptr) {
    return;
  }
  const Json first = Json::parse(from_leader(asked.dump()));
  std::vector<std::string> changes;
  for (const auto& [name, value] : asked.items()) {
    if (const Json there = first.value(name, Json()); there != value) {
      changes.push_back(change(name, there, value));
    }
  }
  check_none(fmt::format("{}", fmt::join(changes, "; ")));
}

}  // namespace yona
