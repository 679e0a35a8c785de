// Figures that sacreBLEU gave, as tools/fixtures/score.py wrote them down, and metrics made from
// the options in them.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"
#include "yona/score/bleu.h"
#include "yona/score/chrf.h"
#include "yona/score/ter.h"

namespace yona::testing {

inline Json score_fixture(const std::string& name) {
  std::ifstream file(std::string(YONA_FIXTURES) + "/score/" + name + ".json");
  return Json::parse(file);
}

template <class T>
T option(const Json& options, const char* name, T otherwise) {
  return options.contains(name) && !options[name].is_null() ? options[name].get<T>() : otherwise;
}

inline TerOptions ter_options(const Json& options) {
  return {option(options, "normalized", false), option(options, "no_punct", false),
          option(options, "asian_support", false), option(options, "case_sensitive", false)};
}

inline BleuOptions bleu_options(const Json& json) {
  BleuOptions options;
  options.tokenizer = bleu_tokenizer(option<std::string>(json, "tokenize", "13a"));
  options.lowercase = option(json, "lowercase", false);
  const auto method = option<std::string>(json, "smooth_method", "exp");
  options.smoothing = method == "floor"   ? BleuSmoothing::floor
                      : method == "add-k" ? BleuSmoothing::add_k
                      : method == "none"  ? BleuSmoothing::none
                                          : BleuSmoothing::exp;
  if (json.contains("smooth_value") && !json["smooth_value"].is_null()) {
    options.smooth_value = json["smooth_value"].get<double>();
  }
  options.max_order = option(json, "max_ngram_order", 4);
  options.effective_order = option(json, "effective_order", false);
  return options;
}

inline ChrfOptions chrf_options(const Json& json) {
  return {option(json, "char_order", 6),     option(json, "word_order", 0),
          option(json, "beta", 2),           option(json, "lowercase", false),
          option(json, "whitespace", false), option(json, "eps_smoothing", false)};
}

inline std::unique_ptr<Metric> metric_of(const Json& test_case) {
  const auto name = test_case["metric"].get<std::string>();
  const Json& options = test_case["options"];
  if (name == "BLEU") {
    return std::make_unique<Bleu>(bleu_options(options));
  }
  if (name == "CHRF") {
    return std::make_unique<Chrf>(chrf_options(options));
  }
  return std::make_unique<Ter>(ter_options(options));
}

// One sentence against one reference or more.
inline double sentence_score(const Metric& metric, const std::string& hypothesis,
                             const std::vector<std::string>& references) {
  std::vector<double> numbers(metric.width());
  metric.reduce(hypothesis, references, numbers);
  return metric.score(numbers).value;
}

// "…|version:2.6.0" with our version instead.
inline std::string with_our_version(const std::string& signature, const std::string& key) {
  return signature.substr(0, signature.rfind(key)) + key + "yona-" YONA_VERSION;
}

// All cases of one metric: scores of corpus and sentences to the last bit, text and signatures.
inline void expect_fixture_scores(const std::string& name) {
  const Json fixture = score_fixture("scores");
  int cases = 0;
  for (const Json& test_case : fixture["cases"]) {
    if (test_case["metric"] != name) {
      continue;
    }
    ++cases;
    SCOPED_TRACE(test_case["text"].dump() + " " + test_case["options"].dump());
    const Json& text = fixture["texts"][test_case["text"].get<std::string>()];
    const auto hypotheses = text["hypotheses"].get<std::vector<std::string>>();
    const auto references = text["references"].get<References>();
    const auto metric = metric_of(test_case);
    const SegmentStatistics statistics = corpus_statistics(*metric, hypotheses, references);
    const Score score = metric->score(statistics.sums());
    EXPECT_EQ(score.value, test_case["corpus"]["score"].get<double>());
    EXPECT_EQ(fmt::format("{} = {:.2f}{}{}", score.name, score.value,
                          score.details.empty() ? "" : " ", score.details),
              test_case["corpus"]["text"].get<std::string>());
    const Circumstances circumstances{.references = reference_count(references)};
    EXPECT_EQ(signature(*metric, circumstances),
              with_our_version(test_case["signature"], "version:"));
    EXPECT_EQ(signature(*metric, circumstances, SignatureStyle::brief),
              with_our_version(test_case["short"], "v:"));
    for (std::size_t i = 0; i < hypotheses.size(); ++i) {
      EXPECT_EQ(metric->score(statistics[i]).value, test_case["sentences"][i].get<double>())
          << "line " << i + 1 << ": " << hypotheses[i];
    }
  }
  EXPECT_GT(cases, 80);
}

}  // namespace yona::testing
