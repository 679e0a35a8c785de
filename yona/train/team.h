// The ranks of a training run, as the trainer sees them: one process alone, or several that train
// one model. Rank 0 leads: it writes files, reports, and decides what depends on time. Calls
// that all ranks have to make together say so; in a single process they return at once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/parallel/communicator.h"

namespace yona {

class Team {
 public:
  // nullptr: a process alone. Ranks must outlive the team.
  explicit Team(Communicator* ranks) : ranks_(ranks) {}

  Communicator* ranks() const { return ranks_; }
  int rank() const { return ranks_ != nullptr ? ranks_->rank() : 0; }
  int size() const { return ranks_ != nullptr ? ranks_->size() : 1; }
  bool leads() const { return rank() == 0; }

  // Of an update of `count` micro-batches, `each` values of every one, in their order. A rank gives
  // those of its own: rank, rank + size, … All ranks together.
  std::vector<double> in_order(const std::vector<double>& own, std::size_t each,
                               std::int64_t count) const;
  // The values of rank 0, written over those of the others. All ranks together.
  void follow_leader(std::span<double> values) const;
  // The first rank for which something holds. All ranks together.
  std::optional<int> first_with(bool holds) const;
  // The text of rank 0. All ranks together.
  std::string from_leader(const std::string& text) const;

  // Throws InvalidArgument at every rank when one of them was asked for something else than rank 0:
  // `asked` are names and values. All ranks together.
  void check_same(const Json& asked) const;
  // Throws InvalidArgument at every rank, naming the first of them that has a difference. All ranks
  // together.
  void check_none(const std::string& difference) const;

 private:
  Communicator* ranks_;
};

}  // namespace yona
