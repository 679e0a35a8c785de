// From a step's logits to the candidates of every search: the best continuations of its beams, or
// the one that sampling draws, subject to constraints and prefixes.
#pragma once

#include <span>
#include <vector>

#include "yona/decode/stepper.h"
#include "yona/decode/unit.h"

namespace yona {

class StepCandidates {
 public:
  // Logits have the columns of `chosen`, which must outlive this object; null: of all ids.
  StepCandidates(const DecodeOptions& options, Region& region,
                 const ChosenOutputs* chosen = nullptr)
      : options_(options), region_(region), chosen_(chosen) {}

  // How many candidates of each unit find() looks for. Drawing from the whole vocabulary reads the
  // logits themselves: k is then no more than a search asks for.
  std::int64_t wanted(std::span<const Unit> units, std::int64_t vocabulary) const;

  // Looks at the logits of the units' rows. Throws DeviceError when they are not numbers.
  void find(const StepLogits& logits, std::span<const Unit> units);
  // Of the unit at this place among those of find(): best first, at most as many as its search asks
  // for; empty when nothing may come.
  std::vector<Candidate> of(const Unit& unit, std::size_t place) const;

 private:
  bool draws_from_all() const;
  std::int32_t id_of(std::int32_t column) const {
    return chosen_ != nullptr ? chosen_->id(column) : column;
  }
  Candidate drawn(const Unit& unit, std::span<const Candidate> found) const;

  const DecodeOptions& options_;
  Region& region_;
  const ChosenOutputs* chosen_;
  std::size_t k_ = 0;
  std::vector<float> scores_;                // [units, k]
  std::vector<std::int32_t> tokens_, rows_;  // [units, k]
  std::vector<float> log_sums_;              // [rows]
  std::vector<float> logits_;                // [rows, V], when sampling from all
  std::size_t vocabulary_ = 0;
};

}  // namespace yona
