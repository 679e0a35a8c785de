// Where a text may be cut: at sentence ends first, then between words, then between characters, as
// Unicode has them (UAX #29 and #14, through ICU). For lines that are longer than a model takes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

// The sentences of a text, in order. Together they are the text, byte for byte: the space after a
// sentence belongs to it. `language` ("en", "de-CH") chooses which abbreviations do not end a
// sentence; an unknown one gets the general rules. Text must be UTF-8.
std::vector<std::string_view> split_sentences(std::string_view text, const std::string& language);

// A text cut into parts that fit, each at sentence ends where it can be.
struct FittingParts {
  std::vector<std::string_view> parts;  // together the text, without the spaces around each part
  bool inside_sentence = false;         // a sentence had to be cut too
};

// `fits` says whether a text is short enough; what is shorter than a text that fits is taken to
// fit. A text that fits is one part; of one that does not, every sentence is a part. Throws
// InvalidArgument when not even one character fits.
FittingParts split_to_fit(std::string_view text, const std::string& language,
                          const std::function<bool(std::string_view)>& fits);

}  // namespace yona
