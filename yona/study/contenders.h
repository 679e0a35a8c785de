// The architectures that studies compare, made comparable: same vocabulary, about as many
// parameters, learning rates from one grid, three seeds.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/models/seq2seq_config.h"
#include "yona/study/seeds.h"
#include "yona/study/study.h"

namespace yona {

struct Contender {
  std::string_view name;
  void (*change)(Seq2SeqConfig& config);  // of the Transformer's
};
inline constexpr std::string_view kTransformerName = "transformer";
inline constexpr std::string_view kLstmWithAttention = "lstm with attention";
inline constexpr std::string_view kPlainLstm = "lstm";
// The Transformer first, then what it replaced.
std::span<const Contender> contenders();

// The contender's config with the d_model that gives it the number of
// parameters nearest to those of `transformer`. Throws InvalidArgument when they differ by more
// than a tenth.
Seq2SeqConfig matched_config(const Contender& contender, const Seq2SeqConfig& transformer);
std::int64_t parameter_count(const Seq2SeqConfig& config);

// What one training measures; "arch", "rate", "seed" and "parameters" are added to it.
struct ContenderRun {
  std::string_view arch;
  Seq2SeqConfig config;
  double rate = 1e-3;
  std::uint64_t seed = 1;
};
// Which of them, and what the names of their points begin with.
struct ContenderChoice {
  std::span<const Contender> contenders = yona::contenders();
  std::string prefix{};
};
// A point for each contender, rate of the grid and seed. Small: one rate.
std::vector<StudyPoint> contender_points(const StudySetting& setting,
                                         const Seq2SeqConfig& transformer,
                                         const std::function<Json(const ContenderRun&)>& measure,
                                         const ContenderChoice& choice = {});

// Of each contender, the points of the rate that is best by the mean of `figure` (the lowest), a
// point for each seed.
struct BestRate {
  std::string arch;
  double rate = 0;
  std::vector<Json> points;
};
std::vector<BestRate> best_rates(const Json& points, const char* figure);
// nullptr where it has no points.
const BestRate* find_contender(const std::vector<BestRate>& best, std::string_view arch);
Spread spread_of(const BestRate& rate, const char* field);

}  // namespace yona
