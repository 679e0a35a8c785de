// BLEU, chrF and TER of lists of text.

#include <algorithm>
#include <functional>

#include "yona/api/score.h"
#include "yona/base/error.h"
#include "yona/score/bleu.h"

#include "bindings.h"

namespace yona::python {

namespace {

BleuOptions bleu_of(const py::dict& given) {
  BleuOptions options;
  std::string tokenizer = "13a", smoothing = "exp";
  take(given, "tokenize", "a name", tokenizer);
  take(given, "smooth_method", "a name", smoothing);
  take(given, "smooth_value", kNumber, options.smooth_value);
  take(given, "lowercase", kTrueOrFalse, options.lowercase);
  take(given, "max_order", kInteger, options.max_order);
  take(given, "effective_order", kTrueOrFalse, options.effective_order);
  options.tokenizer = bleu_tokenizer(tokenizer);
  const auto names = bleu_smoothing_names();
  const auto found = std::find(names.begin(), names.end(), smoothing);
  check(found != names.end(), "smooth_method: expected {}, got '{}'", fmt::join(names, ", "),
        smoothing);
  options.smoothing = static_cast<BleuSmoothing>(found - names.begin());
  return options;
}

ChrfOptions chrf_of(const py::dict& given) {
  ChrfOptions options;
  take(given, "char_order", kInteger, options.char_order);
  take(given, "word_order", kInteger, options.word_order);
  take(given, "beta", kInteger, options.beta);
  take(given, "lowercase", kTrueOrFalse, options.lowercase);
  take(given, "whitespace", kTrueOrFalse, options.whitespace);
  take(given, "eps_smoothing", kTrueOrFalse, options.eps_smoothing);
  return options;
}

TerOptions ter_of(const py::dict& given) {
  TerOptions options;
  take(given, "normalized", kTrueOrFalse, options.normalized);
  take(given, "no_punct", kTrueOrFalse, options.no_punct);
  take(given, "asian_support", kTrueOrFalse, options.asian_support);
  take(given, "case_sensitive", kTrueOrFalse, options.case_sensitive);
  return options;
}

CorpusScore counted(const std::function<CorpusScore()>& count) {
  const py::gil_scoped_release release;
  return count();
}

// (name, value, details, signature)
py::tuple score(const std::string& metric, const std::vector<std::string>& hypotheses,
                const std::vector<std::vector<std::string>>& references, const py::dict& given) {
  CorpusScore result;
  if (metric == "bleu") {
    const BleuOptions options = bleu_of(given);
    result = counted([&] { return bleu(hypotheses, references, options); });
  } else if (metric == "chrf") {
    const ChrfOptions options = chrf_of(given);
    result = counted([&] { return chrf(hypotheses, references, options); });
  } else {
    const TerOptions options = ter_of(given);
    result = counted([&] { return ter(hypotheses, references, options); });
  }
  return py::make_tuple(result.name, result.value, result.details, result.signature);
}

}  // namespace

void bind_metrics(py::module_& module) {
  module.def("score", &score, py::arg("metric"), py::arg("hypotheses"), py::arg("references"),
             py::arg("options"));
}

}  // namespace yona::python
