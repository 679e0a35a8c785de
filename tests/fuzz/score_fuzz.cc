// Any bytes as what is scored: the first half of the lines against the second. Scores are numbers
// in their range, for every metric and tokenizer, or the text is refused.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/error.h"
#include "yona/score/bleu.h"
#include "yona/score/chrf.h"
#include "yona/score/segments.h"
#include "yona/score/ter.h"

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void use(std::string_view bytes) {
  yona::LineReader reader(yona::open_bytes(bytes, "fuzz"), "fuzz");
  const std::vector<std::string> lines = yona::read_segments(reader);
  const std::size_t half = lines.size() / 2;
  if (half == 0) {
    return;
  }
  const yona::NamedSegments hypotheses{"hyp", {lines.begin(), lines.begin() + half}};
  const yona::NamedSegments written{"ref", {lines.begin() + half, lines.begin() + 2 * half}};
  const yona::References references = yona::split_references(written);
  yona::check_lengths(hypotheses, "ref", references);
  static const yona::Bleu bleu;
  static const yona::Bleu characters(
      {.tokenizer = yona::BleuTokenizer::character, .lowercase = true});
  static const yona::Bleu chinese({.tokenizer = yona::BleuTokenizer::zh});
  static const yona::Chrf chrf({.word_order = 2, .lowercase = true});
  static const yona::Ter ter;
  static const yona::Ter normalised({.normalized = true, .asian_support = true});
  for (const yona::Metric* metric : std::initializer_list<const yona::Metric*>{
           &bleu, &characters, &chinese, &chrf, &ter, &normalised}) {
    const auto statistics = yona::corpus_statistics(*metric, hypotheses.lines, references);
    const double value = metric->score(statistics.sums()).value;
    require(std::isfinite(value) && value >= 0);
    require(!metric->higher_is_better() || value <= 100 + 1e-6);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMost = 2048;  // TER takes the square of a line's words
  try {
    use({reinterpret_cast<const char*>(data), std::min(size, kMost)});
  } catch (const yona::Error&) {  // not UTF-8, a damaged archive, an empty reference
  }
  return 0;
}
