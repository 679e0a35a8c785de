// Table 2 of the paper in small: BLEU and the operations of the training, for the Transformer and
// for what it replaced, on one corpus. Next to it are the paper's figures.

#include <algorithm>

#include <fmt/format.h>

#include "yona/study/seeds.h"
#include "yona/study/studies.h"
#include "yona/study/translation.h"

namespace yona {

namespace {

// Vaswani et al. 2017, Table 2; FLOPs are those of English to German.
StudyTable published_table() {
  return {{"in the paper", "BLEU en-de", "BLEU en-fr", "training FLOPs"},
          {{"ByteNet", "23.75", "", ""},
           {"GNMT + RL (LSTM with attention)", "24.6", "39.92", "2.3e19"},
           {"ConvS2S", "25.16", "40.46", "9.6e18"},
           {"Transformer (base)", "27.3", "38.1", "3.3e18"},
           {"Transformer (big)", "28.4", "41.8", "2.3e19"}}};
}

}  // namespace

std::vector<StudyPoint> table2_points(const StudySetting& setting) {
  const std::int64_t pairs = setting.is_small() ? 100 : setting.backend.on_host() ? 8000 : 100000;
  const TranslationStudy study{
      std::make_shared<const WordPairs>(
          WordPairs::Sizes{.training = pairs, .validation = 100, .test = 200}, WordPairs::kSeed),
      pairs, setting.is_small() ? 4 : 600};
  return contender_points(setting, translation_config(*study.corpus),
                          [study, setting](const ContenderRun& run) {
                            Json measured = measure_translation(run, study, setting);
                            measured["flops"] = translation_flops(run, study);
                            return measured;
                          });
}

StudyPage table2_page(const Json& points) {
  StudyTable table{
      {"architecture", "parameters", "rate", "loss", "BLEU", "training FLOPs", "of transformer's"},
      {}};
  const std::vector<BestRate> best = best_rates(points, "loss");
  const auto spread = [](const BestRate& rate, const char* field) {
    return spread_of(rate.points,
                     [field](const Json& point) { return point[field].get<double>(); });
  };
  for (const BestRate& rate : best) {
    const Spread bleu = spread(rate, "bleu");
    const double flops = spread(rate, "flops").mean;
    table.rows.push_back({rate.arch, fmt::format("{:.0f}", spread(rate, "parameters").mean),
                          fmt::format("{:g}", rate.rate), spread(rate, "loss").text(),
                          fmt::format("{:.1f} ± {:.1f}", bleu.mean, bleu.deviation),
                          fmt::format("{:.2e}", flops),
                          fmt::format("{:.2f}", flops / spread(best.front(), "flops").mean)});
  }
  return {
      "Table 2",
      {"English numbers, prices, times and dates are translated into French, word by word, by "
       "greedy search; test items hold combinations of digits that no training item has. "
       "Vocabulary, updates and batches are the same, parameters within 10 %, and the learning "
       "rate is that of the grid with the lowest loss on held-out pairs. Mean over seeds ± "
       "standard deviation.",
       "FLOPs are those of the matrix products and attentions that ran, forward and backward, "
       "two for a multiplication with its addition. The paper estimates them from time, number "
       "of GPUs and their speed; its models and corpus are other ones, and its figures are here "
       "for their order."},
      {},
      {std::move(table), published_table()}};
}

}  // namespace yona
