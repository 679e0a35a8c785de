#include "yona/text/tokenizer/split_pattern.h"

#include <unicode/uregex.h>
#include <unicode/ustring.h>
#include <unicode/utext.h>

#include "yona/base/error.h"

namespace yona {

namespace {

// \s and \S of ICU lack U+000B and U+0085; Unicode's property has them.
std::string with_unicode_spaces(std::string_view pattern) {
  std::string result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool is_escape = pattern[i] == '\\' && i + 1 < pattern.size();
    if (is_escape && (pattern[i + 1] == 's' || pattern[i + 1] == 'S')) {
      result += pattern[i + 1] == 's' ? "\\p{White_Space}" : "\\P{White_Space}";
      ++i;
    } else if (is_escape) {
      result += pattern.substr(i, 2);
      ++i;
    } else {
      result += pattern[i];
    }
  }
  return result;
}

struct CloseRegex {
  void operator()(URegularExpression* regex) const { ::uregex_close(regex); }
};
using Regex = std::unique_ptr<URegularExpression, CloseRegex>;

struct CloseText {
  void operator()(UText* text) const { ::utext_close(text); }
};
using Text = std::unique_ptr<UText, CloseText>;

Text open_text(std::string_view text) {
  UErrorCode error = U_ZERO_ERROR;
  Text opened(
      ::utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &error));
  check(U_SUCCESS(error) != 0, "tokenizer: a text cannot be cut: {}", ::u_errorName(error));
  return opened;
}

}  // namespace

struct SplitPattern::Compiled {
  std::shared_ptr<URegularExpression> regex;
};

SplitPattern::SplitPattern(const std::string& pattern, std::string_view name)
    : compiled_(std::make_unique<Compiled>()) {
  const std::string adapted = with_unicode_spaces(pattern);
  const Text text = open_text(adapted);
  UErrorCode error = U_ZERO_ERROR;
  UParseError place{};
  compiled_->regex.reset(::uregex_openUText(text.get(), 0, &place, &error), ::uregex_close);
  check<FormatError>(U_SUCCESS(error) != 0, "{}: the pattern {} cannot be read: {}", name, pattern,
                     ::u_errorName(error));
}

SplitPattern::~SplitPattern() = default;

std::vector<std::string_view> SplitPattern::words(std::string_view text) const {
  std::vector<std::string_view> words;
  if (text.empty()) {
    return words;
  }
  UErrorCode error = U_ZERO_ERROR;
  const Regex regex(::uregex_clone(compiled_->regex.get(), &error));  // matching has a state
  const Text opened = open_text(text);
  ::uregex_setUText(regex.get(), opened.get(), &error);
  std::size_t done = 0;
  const auto append = [&](std::size_t end) {
    if (end > done) {
      words.push_back(text.substr(done, end - done));
      done = end;
    }
  };
  while (U_SUCCESS(error) != 0 && ::uregex_findNext(regex.get(), &error) != 0) {
    append(static_cast<std::size_t>(::uregex_start64(regex.get(), 0, &error)));
    append(static_cast<std::size_t>(::uregex_end64(regex.get(), 0, &error)));
  }
  check(U_SUCCESS(error) != 0, "tokenizer: a text cannot be cut: {}", ::u_errorName(error));
  append(text.size());
  return words;
}

}  // namespace yona
