#include "yona/study/contenders.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/models/seq2seq.h"

namespace yona {

namespace {

void make_recurrent(Seq2SeqConfig& config, Cell cell, Alignment alignment) {
  config.arch = Arch::rnn;
  config.cell = cell;
  config.alignment = alignment;
}

// Without attention, what is to be seen has to lie within the dilations: 63 tokens, in more layers
// that are narrower.
void make_dilated(Seq2SeqConfig& config) {
  config.arch = Arch::bytenet;
  config.encoder_layers = config.decoder_layers = 6;
  config.longest_dilation = 32;
}

constexpr std::array<Contender, 7> kContenders{
    {{kTransformerName, [](Seq2SeqConfig& /*config*/) {}},
     {kLstmWithAttention,
      [](Seq2SeqConfig& config) { make_recurrent(config, Cell::lstm, Alignment::additive); }},
     {kPlainLstm,
      [](Seq2SeqConfig& config) { make_recurrent(config, Cell::lstm, Alignment::none); }},
     {"tanh units",
      [](Seq2SeqConfig& config) { make_recurrent(config, Cell::tanh, Alignment::none); }},
     {"convs2s", [](Seq2SeqConfig& config) { config.arch = Arch::convs2s; }},
     {"bytenet", make_dilated},
     {"feed-forward", [](Seq2SeqConfig& config) { config.arch = Arch::feed_forward; }}}};

constexpr std::array<double, 3> kRates{5e-4, 2e-3, 8e-3};

// With another width, and what goes with it.
Seq2SeqConfig of_width(Seq2SeqConfig config, std::int64_t d_model) {
  config.d_ff = config.d_ff / config.d_model * d_model;
  config.d_model = d_model;
  return config;
}

}  // namespace

std::span<const Contender> contenders() { return kContenders; }

std::int64_t parameter_count(const Seq2SeqConfig& config) {
  std::int64_t count = 0;
  make_seq2seq(config)->visit([&](const std::string& /*name*/, const Parameter& parameter) {
    count += parameter.shape.elements();
  });
  return count;
}

Seq2SeqConfig matched_config(const Contender& contender, const Seq2SeqConfig& transformer) {
  const auto wanted = static_cast<double>(parameter_count(transformer));
  Seq2SeqConfig config = transformer;
  contender.change(config);
  const auto distance = [&](std::int64_t d_model) {
    return std::abs(static_cast<double>(parameter_count(of_width(config, d_model))) - wanted);
  };
  if (config.arch == Arch::transformer) {
    return config;
  }
  std::int64_t best = 2;  // and even: the halves of some are a model's width too
  while (distance(best + 2) < distance(best)) {  // the count grows with the width
    best += 2;
  }
  check(distance(best) <= 0.1 * wanted,
        "study: no width of {} has within a tenth of the {} parameters of the transformer",
        contender.name, parameter_count(transformer));
  return of_width(config, best);
}

std::vector<StudyPoint> contender_points(const StudySetting& setting,
                                         const Seq2SeqConfig& transformer,
                                         const std::function<Json(const ContenderRun&)>& measure,
                                         const ContenderChoice& choice) {
  std::vector<StudyPoint> points;
  const std::size_t rates = setting.is_small() ? 1 : kRates.size();
  for (const std::uint64_t seed : study_seeds(setting)) {
    for (const Contender& contender : choice.contenders) {
      for (const double rate : std::span(kRates).first(rates)) {
        const ContenderRun run{contender.name, matched_config(contender, transformer), rate, seed};
        points.push_back(
            {fmt::format("{}{} rate={:g} seed={}", choice.prefix, run.arch, rate, seed),
             [run, measure] {
               Json measured = measure(run);
               measured.update({{"arch", run.arch},
                                {"rate", run.rate},
                                {"seed", run.seed},
                                {"parameters", parameter_count(run.config)}});
               return measured;
             }});
      }
    }
  }
  return points;
}

Spread spread_of(const BestRate& rate, const char* field) { return spread_of(rate.points, field); }

const BestRate* find_contender(const std::vector<BestRate>& best, std::string_view arch) {
  const auto found = std::find_if(best.begin(), best.end(),
                                  [&](const BestRate& rate) { return rate.arch == arch; });
  return found == best.end() ? nullptr : &*found;
}

std::vector<BestRate> best_rates(const Json& points, const char* figure) {
  const auto mean = [&](const BestRate& rate) { return spread_of(rate, figure).mean; };
  std::vector<BestRate> best;
  for (const Contender& contender : contenders()) {
    std::vector<BestRate> rates;
    for (const double rate : kRates) {
      BestRate candidate{std::string(contender.name), rate, {}};
      for (const auto& [name, point] : points.items()) {
        if (point["arch"] == contender.name && point["rate"].get<double>() == rate) {
          candidate.points.push_back(point);
        }
      }
      if (!candidate.points.empty()) {
        rates.push_back(std::move(candidate));
      }
    }
    if (!rates.empty()) {
      best.push_back(*std::min_element(
          rates.begin(), rates.end(),
          [&](const BestRate& a, const BestRate& b) { return mean(a) < mean(b); }));
    }
  }
  return best;
}

}  // namespace yona
