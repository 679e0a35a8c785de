#include "yona/text/sentences.h"

#include <memory>

#include <unicode/brkiter.h>
#include <unicode/filteredbrk.h>
#include <unicode/locid.h>
#include <unicode/utext.h>

#include "yona/base/error.h"

namespace yona {

namespace {

using Iterator = std::unique_ptr<icu::BreakIterator>;

enum class TextUnit { sentence, word, character };

void check_icu(UErrorCode status, const char* what) {
  check<DeviceError>(U_SUCCESS(status) != 0, "ICU: {}: {}", what, u_errorName(status));
}

// Abbreviations such as "Mr." end no sentence: ICU's suppressions of the language, where it has
// any.
Iterator without_abbreviations(Iterator plain, const icu::Locale& locale) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<icu::FilteredBreakIteratorBuilder> builder(
      icu::FilteredBreakIteratorBuilder::createInstance(locale, status));
  if (U_FAILURE(status) != 0 || builder == nullptr) {
    return plain;
  }
  Iterator filtered(builder->build(plain.release(), status));
  check_icu(status, "sentence iterator");
  return filtered;
}

Iterator make_iterator(TextUnit unit, const std::string& language) {
  const icu::Locale locale(language.c_str());
  UErrorCode status = U_ZERO_ERROR;
  switch (unit) {
    case TextUnit::sentence: {
      Iterator plain(icu::BreakIterator::createSentenceInstance(locale, status));
      check_icu(status, "sentence iterator");
      return without_abbreviations(std::move(plain), locale);
    }
    case TextUnit::word: {
      Iterator lines(icu::BreakIterator::createLineInstance(locale, status));
      check_icu(status, "line iterator");
      return lines;
    }
    case TextUnit::character: {
      Iterator characters(icu::BreakIterator::createCharacterInstance(locale, status));
      check_icu(status, "character iterator");
      return characters;
    }
  }
  return nullptr;
}

// The text between neighbouring boundaries of a kind.
std::vector<std::string_view> split(std::string_view text, TextUnit unit,
                                    const std::string& language) {
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, decltype(&utext_close)> view(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status),
      &utext_close);
  check_icu(status, "text");
  const Iterator iterator = make_iterator(unit, language);
  iterator->setText(view.get(), status);
  check_icu(status, "text");
  std::vector<std::string_view> parts;
  std::int32_t begin = iterator->first();
  for (std::int32_t end = iterator->next(); end != icu::BreakIterator::DONE;
       end = iterator->next()) {
    parts.push_back(
        text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    begin = end;
  }
  return parts;
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// Neighbours of one text, from the first's beginning to the last's end.
std::string_view joined(const std::vector<std::string_view>& parts, std::size_t begin,
                        std::size_t end) {
  const char* from = parts[begin].data();
  return {from, static_cast<std::size_t>(parts[end - 1].data() + parts[end - 1].size() - from)};
}

class Fitter {
 public:
  Fitter(const std::string& language, const std::function<bool(std::string_view)>& fits)
      : language_(language), fits_(fits) {}

  void add(std::string_view text, TextUnit unit) {
    const std::vector<std::string_view> parts = split(text, unit, language_);
    for (std::size_t begin = 0; begin < parts.size();) {
      const std::size_t count = unit == TextUnit::sentence ? 1 : most_that_fit(parts, begin);
      if (const std::string_view part = without_spaces(joined(parts, begin, begin + count));
          !part.empty()) {
        add_or_cut(part, unit);
      }
      begin += count;
    }
  }

  FittingParts take() { return std::move(found_); }

 private:
  void add_or_cut(std::string_view part, TextUnit unit) {
    if (fits_(part)) {
      found_.parts.push_back(part);
      return;
    }
    check(unit != TextUnit::character, "not even one character fits");
    found_.inside_sentence = true;
    add(part, unit == TextUnit::sentence ? TextUnit::word : TextUnit::character);
  }

  bool fit(const std::vector<std::string_view>& parts, std::size_t begin, std::size_t end) const {
    return fits_(without_spaces(joined(parts, begin, end)));
  }

  // How many parts from `begin` fit together, at least one: by doubling, then by halving.
  std::size_t most_that_fit(const std::vector<std::string_view>& parts, std::size_t begin) const {
    const std::size_t all = parts.size() - begin;
    std::size_t good = 1;
    std::size_t bad = 2;
    while (bad <= all && fit(parts, begin, begin + bad)) {
      good = bad;
      bad *= 2;
    }
    bad = std::min(bad, all + 1);
    while (bad - good > 1) {
      const std::size_t middle = good + (bad - good) / 2;
      (fit(parts, begin, begin + middle) ? good : bad) = middle;
    }
    return good;
  }

  const std::string& language_;
  const std::function<bool(std::string_view)>& fits_;
  FittingParts found_;
};

}  // namespace

std::vector<std::string_view> split_sentences(std::string_view text, const std::string& language) {
  return split(text, TextUnit::sentence, language);
}

FittingParts split_to_fit(std::string_view text, const std::string& language,
                          const std::function<bool(std::string_view)>& fits) {
  if (fits(text)) {
    return {{text}, false};
  }
  Fitter fitter(language, fits);
  fitter.add(text, TextUnit::sentence);
  return fitter.take();
}

}  // namespace yona
