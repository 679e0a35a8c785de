#include "yona/serve/texts.h"

#include <algorithm>

namespace yona::serve {

namespace {

void require_at_most(std::int64_t count, std::int64_t most, std::string_view what) {
  if (count > most) {
    throw HttpError(
        400, fmt::format("the request has {} {}; {} are allowed at most", count, what, most));
  }
}

// The n-th best, or the last it has.
const HypothesisText& nth(const SentenceResult& result, std::size_t n) {
  return result.n_best[std::min(n, result.n_best.size() - 1)];
}

std::vector<std::string> texts_of(std::span<const SentenceResult> results, std::size_t n) {
  std::vector<std::string> texts;
  for (const SentenceResult& result : results) {
    texts.push_back(nth(result, n).text);
  }
  return texts;
}

std::int64_t characters_of(const std::vector<std::string>& texts) {
  std::int64_t characters = 0;
  for (const std::string& text : texts) {
    characters += character_count(text);
  }
  return characters;
}

}  // namespace

std::int64_t character_count(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;  // does not continue a character
  });
}

void check_limits(const std::vector<std::string>& texts, const TextLimits& limits) {
  require_at_most(static_cast<std::int64_t>(texts.size()), limits.texts, "texts");
  require_at_most(characters_of(texts), limits.characters, "characters");
}

void check_sentences(std::int64_t sentences, const TextLimits& limits) {
  require_at_most(sentences, limits.sentences, "sentences");
}

Texts::Texts(const std::vector<std::string>& texts, Split split, const ModelSummary& model,
             const TextLimits& limits)
    : characters_(characters_of(texts)), has_spaces_(model.target_has_spaces) {
  check_limits(texts, limits);
  for (const std::string& text : texts) {
    texts_.push_back(segments_of(text, split, model.source));
    first_.push_back(first_.back() + texts_.back().sentences.size());
    check_sentences(sentence_count(), limits);
  }
}

std::vector<std::string> Texts::sentences() const {
  std::vector<std::string> all;
  for (const Segments& text : texts_) {
    all.insert(all.end(), text.sentences.begin(), text.sentences.end());
  }
  return all;
}

std::size_t Texts::text_of(std::size_t sentence) const {
  return static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), sentence) -
                                  first_.begin()) -
         1;
}

std::span<const SentenceResult> Texts::results_of(std::size_t text,
                                                  const std::vector<SentenceResult>& all) const {
  return std::span(all).subspan(first_[text], first_[text + 1] - first_[text]);
}

std::string Texts::translation(std::size_t text, std::span<const SentenceResult> results,
                               std::size_t n) const {
  return joined(text, texts_of(results, n));
}

std::vector<WordLink> Texts::links(std::size_t text, std::span<const SentenceResult> results,
                                   std::size_t n) const {
  const Segments& segments = texts_[text];
  const Joined joined = join(segments, texts_of(results, n), has_spaces_);
  std::vector<WordLink> links;
  std::size_t place = segments.between.front().size();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string& sentence = segments.sentences[i];
    for (WordLink link : word_links(sentence, results[i].source_tokens, nth(results[i], n))) {
      link.begin += joined.starts[i];
      link.end += joined.starts[i];
      link.source += link.source == WordLink::kNowhere ? 0 : place;
      links.push_back(link);
    }
    place += sentence.size() + segments.between[i + 1].size();
  }
  return links;
}

}  // namespace yona::serve
