// What `yona bench compare` found: pairs of yona and a peer that searched by the same rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "yona/cli/compare_engine.h"

namespace yona::cli {

// How the answers of two engines differ.
struct Agreement {
  std::int64_t lines = 0, same = 0;
  std::int64_t near_ties = 0;  // other tokens, with scores within 1e-4 of each other
  std::int64_t differ = 0;     // other tokens and other scores, or none
};
Agreement agreement(const std::vector<CompareAnswer>& ours,
                    const std::vector<CompareAnswer>& theirs);

struct Comparison {
  EngineResult yona;
  std::optional<EngineResult> peer;  // nothing: no peer is installed
};

struct CompareReport {
  CompareJob job;
  std::string input;  // what the sentences are called
  std::int64_t rounds = 0;
  std::vector<Comparison> comparisons{};
  std::vector<std::string> left_out{};  // "marian: not installed for python3"
};

std::string compare_table(const CompareReport& report);
Json compare_json(const CompareReport& report);

}  // namespace yona::cli
