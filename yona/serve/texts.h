// The texts of one request as the sentences of one job, and the job's results as texts again.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "yona/serve/segments.h"
#include "yona/serve/service.h"
#include "yona/serve/word_links.h"

namespace yona::serve {

struct TextLimits {
  std::int64_t texts = 1000;          // of a request
  std::int64_t sentences = 1000;      // of all its texts
  std::int64_t characters = 100'000;  // likewise
};

class Texts {
 public:
  // Throws HttpError 400 for more than the limits allow.
  Texts(const std::vector<std::string>& texts, Split split, const ModelSummary& model,
        const TextLimits& limits);

  std::size_t count() const { return texts_.size(); }
  std::int64_t characters() const { return characters_; }
  std::int64_t sentence_count() const { return static_cast<std::int64_t>(first_.back()); }
  const Segments& segments(std::size_t text) const { return texts_[text]; }
  // Of all texts, in order.
  std::vector<std::string> sentences() const;
  // The text that a sentence belongs to.
  std::size_t text_of(std::size_t sentence) const;

  // Those of one text.
  std::span<const SentenceResult> results_of(std::size_t text,
                                             const std::vector<SentenceResult>& all) const;
  // A text's translation from those of its sentences: the n-th best of each, or the last it has.
  std::string translation(std::size_t text, std::span<const SentenceResult> results,
                          std::size_t n) const;
  // The same from given texts, one for each sentence.
  std::string joined(std::size_t text, const std::vector<std::string>& translations) const {
    return join(texts_[text], translations, has_spaces_).text;
  }
  // The words of translation(), with bytes of the text as their sources.
  std::vector<WordLink> links(std::size_t text, std::span<const SentenceResult> results,
                              std::size_t n) const;

 private:
  std::vector<Segments> texts_;
  std::vector<std::size_t> first_{0};  // sentence of each text, and the end
  std::int64_t characters_ = 0;
  bool has_spaces_ = true;
};

// Throws HttpError 400 for more texts or characters than allowed.
void check_limits(const std::vector<std::string>& texts, const TextLimits& limits);

// Throws HttpError 400 for more sentences than allowed.
void check_sentences(std::int64_t sentences, const TextLimits& limits);

// Characters of UTF-8 text.
std::int64_t character_count(std::string_view text);

}  // namespace yona::serve
