#include "yona/api/score.h"

#include "yona/score/bleu.h"
#include "yona/score/chrf.h"
#include "yona/score/ter.h"

namespace yona {

namespace {

CorpusScore corpus_score(const Metric& metric, const std::vector<std::string>& hypotheses,
                         const References& references) {
  Score score = metric.score(corpus_statistics(metric, hypotheses, references).sums());
  return {.name = std::move(score.name),
          .value = score.value,
          .details = std::move(score.details),
          .signature = signature(metric, {.references = reference_count(references)})};
}

}  // namespace

CorpusScore bleu(const std::vector<std::string>& hypotheses,
                 const std::vector<std::vector<std::string>>& references,
                 const BleuOptions& options) {
  return corpus_score(Bleu(options), hypotheses, references);
}

CorpusScore chrf(const std::vector<std::string>& hypotheses,
                 const std::vector<std::vector<std::string>>& references,
                 const ChrfOptions& options) {
  return corpus_score(Chrf(options), hypotheses, references);
}

CorpusScore ter(const std::vector<std::string>& hypotheses,
                const std::vector<std::vector<std::string>>& references,
                const TerOptions& options) {
  return corpus_score(Ter(options), hypotheses, references);
}

}  // namespace yona
