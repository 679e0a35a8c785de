#include "yona/score/ter.h"

#include <algorithm>
#include <limits>

#include "yona/score/ngrams.h"
#include "yona/score/ter_edits.h"
#include "yona/score/unicode.h"

namespace yona {

std::u32string Ter::prepare(std::string_view segment) const {
  return tokenize_for_ter(options_, strip_right(to_code_points(segment)));
}

// sacreBLEU prepares references twice. It matters where the first time made an entity or a space:
// "Tom's" before a no-break space is cut the second time only.
std::u32string Ter::prepare_reference(std::string_view segment) const {
  const std::u32string text = prepare(segment);
  std::u32string once;
  for (const std::u32string_view word : split(text)) {
    once.append(word).push_back(U' ');
  }
  return tokenize_for_ter(options_, strip_right(once));
}

void Ter::reduce(std::string_view hypothesis, std::span<const std::string> references,
                 std::span<double> into) const {
  const std::u32string text = prepare(hypothesis);
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  std::size_t length = 0;
  for (const std::string& reference : references) {
    const std::u32string expected = prepare_reference(reference);
    WordIds ids;
    const auto words = ids(split(text));
    const auto expected_words = ids(split(expected));
    fewest = std::min(fewest, ter_edits(words, expected_words));
    length += expected_words.size();
  }
  into[0] = static_cast<double>(fewest);
  into[1] = static_cast<double>(length) / static_cast<double>(references.size());
}

Score Ter::score(std::span<const double> sums) const {
  const double edits = sums[0];
  const double length = sums[1];
  // Against nothing, anything is all wrong.
  const double rate = length > 0 ? edits / length : (edits > 0 ? 1.0 : 0.0);
  return {name(), 100 * rate, ""};
}

std::vector<SignaturePart> Ter::settings() const {
  const auto yes_or_no = [](bool value) { return value ? "yes" : "no"; };
  return {{"case", "c", options_.case_sensitive ? "mixed" : "lc"},
          {"tok", "t", "tercom"},
          {"norm", "nr", yes_or_no(options_.normalized)},
          {"punct", "pn", yes_or_no(!options_.no_punct)},
          {"asian", "as", yes_or_no(options_.asian_support)}};
}

}  // namespace yona
