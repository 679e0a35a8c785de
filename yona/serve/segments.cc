#include "yona/serve/segments.h"

#include <algorithm>

#include "yona/text/sentences.h"

namespace yona::serve {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

// Asking ICU costs more than translating needs to wait for: most texts are one sentence.
bool may_have_several(std::string_view line) {
  const std::size_t end = line.find_last_not_of(kBlanks);
  const std::string_view inside = line.substr(0, end == line.npos ? 0 : end);
  return inside.find_first_of(".!?") != inside.npos ||
         std::any_of(inside.begin(), inside.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0xD8; });
}

// How much of a text of one line to take at once: up to a blank, else up to a whole character.
std::size_t cut_of(std::string_view text) {
  if (text.size() <= kLongestSentence) {
    return text.size();
  }
  const std::size_t blank = text.find_last_of(kBlanks, kLongestSentence);
  if (blank != text.npos && blank > kLongestSentence / 2) {
    return blank;
  }
  constexpr std::size_t kUnspaced = 400;  // has as many tokens as more text with spaces
  std::size_t cut = kUnspaced;
  while (cut > 1 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) {
    --cut;
  }
  return cut;
}

class Builder {
 public:
  Builder(Segments& segments, const std::string& language)
      : segments_(segments), language_(language) {
    segments_.between.emplace_back();
  }

  // What is to be one sentence: cut where it is too long for that.
  void add_whole(std::string_view text) {
    text.size() <= kLongestSentence ? add(text) : add_sentences(text);
  }

  void add_sentences(std::string_view text) {
    for (std::string_view sentence : split_sentences(text, language_)) {
      while (!sentence.empty()) {
        const std::size_t cut = cut_of(sentence);
        add(sentence.substr(0, cut));
        sentence.remove_prefix(cut);
      }
    }
  }

 private:
  // A sentence with blanks around it, or blanks alone.
  void add(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == text.npos) {
      segments_.between.back() += text;
      return;
    }
    const std::size_t last = text.find_last_not_of(kBlanks);
    segments_.between.back() += text.substr(0, first);
    segments_.sentences.emplace_back(text.substr(first, last + 1 - first));
    segments_.between.emplace_back(text.substr(last + 1));
  }

  Segments& segments_;
  const std::string& language_;
};

}  // namespace

Segments segments_of(std::string_view text, Split split, const std::string& language) {
  Segments segments;
  Builder builder(segments, language);
  if (split == Split::none) {
    builder.add_whole(text);
    return segments;
  }
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (split == Split::lines || !may_have_several(line)) {
      builder.add_whole(line);
    } else {
      builder.add_sentences(line);
    }
  }
  return segments;
}

Joined join(const Segments& segments, const std::vector<std::string>& translations,
            bool has_spaces) {
  Joined joined{.text = segments.between.front(), .starts = {}};
  std::string& text = joined.text;
  for (std::size_t i = 0; i < translations.size(); ++i) {
    joined.starts.push_back(text.size());
    text += translations[i];
    const std::string& between = segments.between[i + 1];
    const bool is_inside_line =
        i + 1 < translations.size() && between.find_first_not_of(' ') == between.npos;
    const bool is_as_it_should_be = between.empty() != has_spaces;
    text += is_inside_line && !is_as_it_should_be ? (has_spaces ? " " : "") : between;
  }
  return joined;
}

}  // namespace yona::serve
