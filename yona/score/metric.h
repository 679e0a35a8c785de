// What BLEU, chrF, TER and the brackets of trees have in common: each segment is reduced to a few
// numbers, these are added up over a corpus, and the score is a function of the sums. So a
// sentence, a corpus, a bootstrap resample and a mixture of two systems are all scored by the same
// two calls.
//
//   const Bleu bleu;
//   const SegmentStatistics statistics = corpus_statistics(bleu, hypotheses, references);
//   fmt::print("{}", bleu.score(statistics.sums()).value);
//
// Scores of text are sacreBLEU 2.6's in every digit, scores of trees are EVALB's: the operations
// are done in their order, in doubles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

enum class FigureKind : std::uint8_t { real, count };

struct ScoreFigure {
  std::string name;
  double value = 0.0;
  FigureKind kind = FigureKind::real;
};

struct Score {
  std::string name;  // "BLEU", "chrF2++", "TER", "Brackets"
  double value = 0.0;
  std::string details;  // BLEU's precisions, brevity penalty and lengths; "" for chrF and TER
  std::vector<ScoreFigure> figures{};  // of Brackets: recall, precision and so on
};

struct SignaturePart {
  std::string name, short_name, value;
};

class Metric {
 public:
  Metric() = default;
  virtual ~Metric() = default;

  virtual std::string name() const = 0;
  virtual bool higher_is_better() const { return true; }

  // Numbers that a segment is reduced to.
  virtual std::size_t width() const = 0;
  // Writes them for one hypothesis and its references (one at least), all UTF-8.
  virtual void reduce(std::string_view hypothesis, std::span<const std::string> references,
                      std::span<double> into) const = 0;
  virtual Score score(std::span<const double> sums) const = 0;

  // The settings that make figures comparable, without those of signature() below.
  virtual std::vector<SignaturePart> settings() const = 0;

 protected:
  Metric(const Metric&) = default;
  Metric& operator=(const Metric&) = default;
};

// The numbers of every segment of a corpus.
class SegmentStatistics {
 public:
  SegmentStatistics(std::size_t segments, std::size_t width)
      : width_(width), values_(segments * width) {}

  std::size_t segments() const { return values_.size() / width_; }
  std::size_t width() const { return width_; }
  std::span<double> operator[](std::size_t segment) {
    return {values_.data() + segment * width_, width_};
  }
  std::span<const double> operator[](std::size_t segment) const {
    return {values_.data() + segment * width_, width_};
  }
  std::vector<double> sums() const;

 private:
  std::size_t width_;
  std::vector<double> values_;
};

// The references of each segment; their number may vary.
using References = std::vector<std::vector<std::string>>;

// Throws InvalidArgument when the numbers of segments differ, there are none, or one has no
// reference; FormatError for text that is not UTF-8.
SegmentStatistics corpus_statistics(const Metric& metric, std::span<const std::string> hypotheses,
                                    const References& references);

// How a figure was made: the part of a signature that the metric does not know.
struct Circumstances {
  std::optional<std::size_t> references{};  // of each segment; nothing: their number varies
  std::int64_t bootstrap = 0;               // resamples; 0: none
  std::int64_t randomisation = 0;           // trials; 0: none
  std::uint64_t seed = 0;                   // named only with one of these
};

std::optional<std::size_t> reference_count(const References& references);

// "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:yona-0.1.0", as sacreBLEU writes it.
enum class SignatureStyle : std::uint8_t { full, brief };
std::string signature(const Metric& metric, const Circumstances& circumstances,
                      SignatureStyle style = SignatureStyle::full);
// The same of any parts, with the version at the end.
std::string signature_text(std::vector<SignaturePart> parts, SignatureStyle style);

}  // namespace yona
