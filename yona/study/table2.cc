// Table 2 of the paper in small: BLEU and the operations of the training, for the Transformer and
// for what it replaced, on one corpus. Next to it are the paper's figures.

#include <algorithm>
#include <cmath>

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

// Means over seeds, from the shortest sentences to the longest: words and BLEU.
struct LengthBleu {
  std::vector<std::string> words;
  std::vector<Spread> bleu;
};
LengthBleu length_bleu(const BestRate& rate) {
  LengthBleu result;
  for (std::size_t group = 0; group < rate.points.front()["bleu by length"].size(); ++group) {
    const auto at = [group](const Json& point) { return point["bleu by length"][group]; };
    result.words.push_back(at(rate.points.front())["words"].get<std::string>());
    result.bleu.push_back(
        spread_of(rate.points, [&](const Json& point) { return at(point)["bleu"].get<double>(); }));
  }
  return result;
}

double mean_bleu(const BestRate& rate) { return spread_of(rate, "bleu").mean; }

// The Transformer and the best of the others.
std::string transformer_sentence(const std::vector<BestRate>& best) {
  const BestRate* transformer = find_contender(best, kTransformerName);
  const BestRate* other = nullptr;
  for (const BestRate& rate : best) {
    if (&rate != transformer && (other == nullptr || mean_bleu(rate) > mean_bleu(*other))) {
      other = &rate;
    }
  }
  if (transformer == nullptr || other == nullptr) {
    return "";
  }
  const double lead = mean_bleu(*transformer) - mean_bleu(*other);
  return fmt::format(
      "The Transformer has {:.1f} BLEU, {:.1f} {} the best of the others, {}, which takes {:.2f} "
      "of "
      "its training FLOPs.",
      mean_bleu(*transformer), std::abs(lead), lead >= 0 ? "more than" : "less than", other->arch,
      spread_of(*other, "flops").mean / spread_of(*transformer, "flops").mean);
}

// What attention is worth to an architecture by the length of the source, compared with the plain
// lstm.
std::string attention_sentence(const std::vector<BestRate>& best, std::string_view with) {
  const BestRate* attention = find_contender(best, with);
  const BestRate* plain = find_contender(best, kPlainLstm);
  if (attention == nullptr || plain == nullptr) {
    return "";
  }
  const LengthBleu a = length_bleu(*attention);
  const LengthBleu b = length_bleu(*plain);
  const double on_short = a.bleu.front().mean - b.bleu.front().mean;
  const double on_long = a.bleu.back().mean - b.bleu.back().mean;
  const double lead = mean_bleu(*attention) - mean_bleu(*plain);
  return fmt::format(
      "Attention: {} has {:.1f} BLEU {} than the lstm without it; the difference is {:+.1f} on {} "
      "and {:+.1f} on {}, {} on long sentences.",
      with, std::abs(lead), lead >= 0 ? "more" : "less", on_short, a.words.front(), on_long,
      a.words.back(), on_long > on_short ? "larger" : "not larger");
}

// BLEU of each architecture from the shortest third of the test set to the longest.
LinePlot length_plot(const std::vector<BestRate>& best) {
  LinePlot plot{"BLEU by length: shortest, middle and longest third",
                "third of the test set",
                "BLEU",
                PlotScale::linear,
                PlotScale::linear,
                {}};
  for (const BestRate& rate : best) {
    PlotSeries series{rate.arch, {}};
    for (const Spread& bleu : length_bleu(rate).bleu) {
      series.points.emplace_back(static_cast<double>(series.points.size() + 1), bleu.mean);
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

StudyTable length_table(const std::vector<BestRate>& best) {
  StudyTable table{{"BLEU by words of the source"}, {}};
  for (const BestRate& rate : best) {
    const LengthBleu measured = length_bleu(rate);
    if (table.columns.size() == 1) {
      table.columns.insert(table.columns.end(), measured.words.begin(), measured.words.end());
    }
    std::vector<std::string> row{rate.arch};
    for (const Spread& bleu : measured.bleu) {
      row.push_back(fmt::format("{:.1f} ± {:.1f}", bleu.mean, bleu.deviation));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<StudyPoint> table2_points(const StudySetting& setting) {
  const std::int64_t pairs = setting.is_small() ? 100 : setting.backend.on_host() ? 8000 : 100000;
  const TranslationStudy study{
      std::make_shared<const WordPairs>(
          WordPairs::Sizes{.training = pairs, .validation = 100, .test = 300}, WordPairs::kSeed),
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
  for (const BestRate& rate : best) {
    const Spread bleu = spread_of(rate, "bleu");
    const double flops = spread_of(rate, "flops").mean;
    table.rows.push_back({rate.arch, fmt::format("{:.0f}", spread_of(rate, "parameters").mean),
                          fmt::format("{:g}", rate.rate), spread_of(rate, "loss").text(),
                          fmt::format("{:.1f} ± {:.1f}", bleu.mean, bleu.deviation),
                          fmt::format("{:.2e}", flops),
                          fmt::format("{:.2f}", flops / spread_of(best.front(), "flops").mean)});
  }
  StudyPage page{"Table 2", {}, {length_plot(best)}, {std::move(table), length_table(best)}};
  page.tables.push_back(published_table());
  for (const std::string& sentence :
       {transformer_sentence(best), attention_sentence(best, kLstmWithAttention),
        attention_sentence(best, kTransformerName)}) {
    if (!sentence.empty()) {
      page.findings.push_back(sentence);
    }
  }
  page.notes = {
      "English numbers, prices, times and dates are translated into French, word by word, by "
      "greedy search; test items hold combinations of digits that no training item has. "
      "Vocabulary, updates and batches are the same, parameters within 10 %, and the learning "
      "rate is that of the grid with the lowest loss on held-out pairs. Mean over seeds ± "
      "standard deviation.",
      "FLOPs are those of the matrix products and attentions that ran, forward and backward, "
      "two for a multiplication with its addition. The paper estimates them from time, number "
      "of GPUs and their speed; its models and corpus are other ones, and its figures are here "
      "for their order."};
  return page;
}

}  // namespace yona
