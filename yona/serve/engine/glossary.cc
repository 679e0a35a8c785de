#include "yona/serve/engine/glossary.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "yona/text/spm_file.h"

namespace yona::serve {

namespace {

// ASCII alone: other scripts are not asked where words end.
bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// "art" does not stand in "party".
bool is_whole(std::string_view text, std::size_t begin, std::size_t end) {
  const bool joins_before =
      begin > 0 && is_word_character(text[begin - 1]) && is_word_character(text[begin]);
  const bool joins_after =
      end < text.size() && is_word_character(text[end]) && is_word_character(text[end - 1]);
  return !joins_before && !joins_after;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

// Where each token ends in the sentence, in bytes: by the lengths of the pieces, stretched to the
// sentence's where normalising has changed them. Special tokens take no room.
std::vector<std::size_t> ends_of(const Ids& ids, const Vocabulary& vocabulary,
                                 std::string_view sentence) {
  std::vector<std::size_t> ends;
  std::size_t length = 0;
  for (const std::int32_t id : ids) {
    const std::string& piece = vocabulary.piece(id);
    const bool is_special = id == vocabulary.end() || id == vocabulary.pad();
    const bool begins_word = piece.starts_with(kWordStart);
    length += is_special    ? 0
              : begins_word ? piece.size() - kWordStart.size() + (length > 0 ? 1 : 0)
                            : piece.size();
    ends.push_back(length);
  }
  for (std::size_t& end : ends) {
    end = length > 0 ? end * sentence.size() / length : 0;
  }
  return ends;
}

// How much of the attention of each target token goes to the bytes of the use.
std::vector<double> looks_at(const TermUse& use, const SentenceTranslation& translation,
                             const std::vector<std::size_t>& ends) {
  std::vector<double> looks;
  for (const std::vector<float>& row : translation.hypothesis.attention) {
    double& weight = looks.emplace_back(0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t begin = i > 0 ? ends[i - 1] : 0;
      weight += begin < use.end && ends[i] > use.begin ? row[i] : 0;
    }
  }
  return looks;
}

// The target token that the use should stand at: the one that looks there most, behind what is
// given.
std::size_t place_of(const std::vector<double>& looks, std::size_t given) {
  const auto first = looks.begin() + static_cast<std::ptrdiff_t>(std::min(given, looks.size()));
  return static_cast<std::size_t>(std::max_element(first, looks.end()) - looks.begin());
}

}  // namespace

std::vector<TermUse> uses_of(std::string_view sentence, const std::vector<GlossaryTerm>& terms) {
  std::vector<TermUse> uses;
  for (std::size_t at = 0; at < sentence.size();) {
    const GlossaryTerm* longest = nullptr;
    for (const GlossaryTerm& term : terms) {
      if (sentence.substr(at).starts_with(term.source) &&
          is_whole(sentence, at, at + term.source.size()) &&
          (longest == nullptr || term.source.size() > longest->source.size())) {
        longest = &term;
      }
    }
    if (longest != nullptr) {
      uses.push_back({at, at + longest->source.size(), longest->target});
    }
    at += longest != nullptr ? longest->source.size() : 1;
  }
  return uses;
}

std::optional<std::string> next_prefix(std::string_view sentence, const std::vector<TermUse>& uses,
                                       const SentenceTranslation& translation, std::size_t given,
                                       const SubwordPair& subwords) {
  std::map<std::string, std::size_t> wanted;
  for (const TermUse& use : uses) {
    ++wanted[use.target];
  }
  const Vocabulary& target = subwords.target.vocabulary();
  const std::vector<std::size_t> ends =
      ends_of(translation.source, subwords.source.vocabulary(), sentence);
  const Ids& ids = translation.hypothesis.ids;
  std::optional<std::size_t> first;  // of the places of missing terms
  const TermUse* chosen = nullptr;
  for (const TermUse& use : uses) {
    if (count_of(translation.text, use.target) < wanted[use.target]) {
      const std::size_t place = place_of(looks_at(use, translation, ends), given);
      if (!first || place < *first) {
        first = place;
        chosen = &use;
      }
    }
  }
  if (chosen == nullptr) {
    return std::nullopt;
  }
  std::size_t place = std::min(*first, ids.size());
  while (place > given && place < ids.size() && ids[place] != target.end() &&
         !target.piece(ids[place]).starts_with(kWordStart)) {
    --place;  // to the beginning of the word
  }
  const bool has_space = place == ids.size() || ids[place] == target.end() ||
                         target.piece(ids[place]).starts_with(kWordStart);
  std::string text = subwords.target.decode(std::span(ids).first(place));
  return text + (text.empty() || !has_space ? "" : " ") + chosen->target;
}

}  // namespace yona::serve
