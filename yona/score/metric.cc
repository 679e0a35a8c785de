#include "yona/score/metric.h"

#include <fmt/format.h>

#include "yona/base/error.h"

namespace yona {

std::vector<double> SegmentStatistics::sums() const {
  std::vector<double> total(width_);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    total[i % width_] += values_[i];
  }
  return total;
}

SegmentStatistics corpus_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                    const References& references) {
  check(hypotheses.size() == references.size(),
        "score: there are {} hypotheses and {} references; each line needs its own",
        hypotheses.size(), references.size());
  check(!hypotheses.empty(), "score: there are no lines to score");
  SegmentStatistics statistics(hypotheses.size(), metric.width());
  for (std::size_t i = 0; i < hypotheses.size(); ++i) {
    check(!references[i].empty(), "score: line {} has no reference", i + 1);
    metric.reduce(hypotheses[i], references[i], statistics[i]);
  }
  return statistics;
}

std::optional<std::size_t> reference_count(const References& references) {
  for (const std::vector<std::string>& segment : references) {
    if (segment.size() != references.front().size()) {
      return std::nullopt;
    }
  }
  return references.empty() ? 0 : references.front().size();
}

std::string signature(const Metric& metric, const Circumstances& circumstances,
                      SignatureStyle style) {
  std::vector<SignaturePart> parts;
  parts.push_back(
      {"nrefs", "#", circumstances.references ? fmt::to_string(*circumstances.references) : "var"});
  if (circumstances.bootstrap > 0) {
    parts.push_back({"bs", "bs", fmt::to_string(circumstances.bootstrap)});
  }
  if (circumstances.randomisation > 0) {
    parts.push_back({"ar", "ar", fmt::to_string(circumstances.randomisation)});
  }
  if (circumstances.bootstrap > 0 || circumstances.randomisation > 0) {
    parts.push_back({"seed", "rs", fmt::to_string(circumstances.seed)});
  }
  for (SignaturePart& part : metric.settings()) {
    parts.push_back(std::move(part));
  }
  return signature_text(std::move(parts), style);
}

std::string signature_text(std::vector<SignaturePart> parts, SignatureStyle style) {
  parts.push_back({"version", "v", "yona-" YONA_VERSION});
  std::string text;
  for (const SignaturePart& part : parts) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : "|",
                        style == SignatureStyle::full ? part.name : part.short_name, part.value);
  }
  return text;
}

}  // namespace yona
