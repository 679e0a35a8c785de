// Lines of a file to their translations: what Translator does for a sentence, for lines as they
// come, some of them longer than the model takes. Such a line is cut at its sentence ends, its
// parts are translated like sentences of their own, and their translations are joined again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/decode/source_line.h"
#include "yona/decode/translate_options.h"
#include "yona/decode/translator.h"

namespace yona {

struct LineTranslation {
  std::string text;
  double score = 0;            // of a line in parts: the sum of theirs
  double log_probability = 0;  // likewise
  std::vector<SentenceTranslation> parts{};
};

struct LineOptions {
  LongLines long_lines = LongLines::split;
  std::string source_language{};  // which rules end a sentence; empty: the general ones
  std::string target_language{};  // decides whether sentences are joined with a space
};

class LineTranslator {
 public:
  // The translator must outlive this object.
  LineTranslator(Translator& translator, LineOptions options)
      : translator_(translator), options_(std::move(options)) {}

  // Each line's translations, best first and at least one; a line without anything to translate has
  // an empty one. Of a line in parts the i-th joins the i-th of every part. Throws InvalidArgument
  // for a line that is too long where those are refused. A watch sees the lines by their places
  // here; those in parts several times.
  std::vector<std::vector<LineTranslation>> translate(std::span<const SourceLine> lines,
                                                      SearchWatch* watch = nullptr);

  // How probable each line's `target` is: one LineTranslation each, in one part; see
  // Translator::score(). Throws InvalidArgument naming the line when a side has more tokens than
  // the model takes: a pair cannot be cut.
  std::vector<std::vector<LineTranslation>> score(std::span<const SourceLine> lines);

  std::uint64_t lines_split() const { return lines_split_; }      // so far
  std::uint64_t sentences_cut() const { return sentences_cut_; }  // lines with a cut inside one

 private:
  std::vector<std::string_view> parts_of(const SourceLine& line);

  Translator& translator_;
  LineOptions options_;
  std::uint64_t lines_split_ = 0;
  std::uint64_t sentences_cut_ = 0;
};

// Is a space written between two sentences of this language? Not in Chinese, Japanese, Thai, Lao,
// Khmer and Burmese.
bool has_sentence_spaces(std::string_view language);

}  // namespace yona
