#include "yona/text/word_piece.h"

#include <algorithm>
#include <iterator>

#include <unicode/locid.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "yona/base/error.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

bool is_ascii_punctuation(char32_t c) {
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
         (c >= 123 && c <= 126);
}

// The categories of Unicode 8, which tokenizers has: later characters are in none, and a few were
// in another one.
std::uint32_t category_mask(char32_t c) {
  switch (c) {
    case 0x166D:
    case 0x111C9:
      return U_GC_PO_MASK;
    case 0x1734:
      return U_GC_MN_MASK;
    case 0x1885:
    case 0x1886:
      return U_GC_LO_MASK;
    case 0xA9BD:
      return U_GC_MC_MASK;
    default:
      break;
  }
  UVersionInfo age{};
  ::u_charAge(static_cast<UChar32>(c), age);
  const bool is_known = age[0] > 0 && age[0] <= 8;
  return is_known ? U_GET_GC_MASK(static_cast<UChar32>(c)) & ~U_GC_CN_MASK : 0;
}

bool is_word_punctuation(char32_t c) {
  return is_ascii_punctuation(c) || (c > 127 && (category_mask(c) & U_GC_P_MASK) != 0);
}

bool is_word_space(char32_t c) { return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0; }

// Other (C*) but tab, line feed and carriage return.
bool is_dropped(char32_t c) {
  if (c == 0 || c == 0xFFFD) {
    return true;
  }
  return c != '\t' && c != '\n' && c != '\r' && (category_mask(c) & U_GC_C_MASK) != 0;
}

// The blocks of CJK ideographs that BERT's code lists.
bool is_cjk(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
         (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

icu::UnicodeString cleaned(std::string_view text, const BertNormalisation& options) {
  icu::UnicodeString result;
  for (const char32_t c : utf32_of(text)) {
    const auto code = static_cast<UChar32>(c);
    if (options.clean && is_dropped(c)) {
      continue;
    }
    if (options.clean && is_word_space(c)) {
      result.append(static_cast<UChar32>(' '));
    } else if (options.spaces_around_cjk && is_cjk(c)) {
      result.append(static_cast<UChar32>(' ')).append(code).append(static_cast<UChar32>(' '));
    } else {
      result.append(code);
    }
  }
  return result;
}

icu::UnicodeString without_accents(const icu::UnicodeString& text) {
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* nfd = icu::Normalizer2::getNFDInstance(error);
  const icu::UnicodeString decomposed = nfd->normalize(text, error);
  check(U_SUCCESS(error) != 0, "ICU cannot decompose text: {}", u_errorName(error));
  icu::UnicodeString result;
  for (std::int32_t i = 0; i < decomposed.length(); i = decomposed.moveIndex32(i, 1)) {
    const UChar32 c = decomposed.char32At(i);
    if (category_mask(static_cast<char32_t>(c)) != U_GC_MN_MASK) {
      result.append(c);
    }
  }
  return result;
}

// Character by character: no rule that looks at the neighbours (Greek's last sigma) applies.
icu::UnicodeString lower_cased(const icu::UnicodeString& text) {
  icu::UnicodeString result;
  for (std::int32_t i = 0; i < text.length(); i = text.moveIndex32(i, 1)) {
    icu::UnicodeString one(text.char32At(i));
    result.append(one.toLower(icu::Locale::getRoot()));
  }
  return result;
}

bool is_plain_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 127; });
}

}  // namespace

std::string bert_normalised(std::string_view text, const BertNormalisation& options) {
  if (is_plain_ascii(text)) {
    std::string lower(text);
    if (options.lower_case) {
      std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      });
    }
    return lower;
  }
  icu::UnicodeString normalised = cleaned(text, options);
  if (options.strip_accents) {
    normalised = without_accents(normalised);
  }
  if (options.lower_case) {
    normalised = lower_cased(normalised);
  }
  std::string result;
  return normalised.toUTF8String(result);
}

std::vector<std::string> bert_words(std::string_view normalised) {
  std::vector<std::string> words;
  bool is_inside = false;
  while (!normalised.empty()) {
    const std::size_t length = utf8_length(normalised);
    const char32_t c = utf8_character(normalised);
    if (is_word_space(c)) {
      is_inside = false;
    } else if (is_word_punctuation(c)) {
      words.emplace_back(normalised.substr(0, length));
      is_inside = false;
    } else {
      if (!is_inside) {
        words.emplace_back();
      }
      words.back() += normalised.substr(0, length);
      is_inside = true;
    }
    normalised.remove_prefix(length);
  }
  return words;
}

WordPiece::WordPiece(std::vector<std::string> pieces, const BertNormalisation& normalisation,
                     std::string_view unknown, std::string_view name, std::int64_t longest_word)
    : pieces_(std::move(pieces)), normalisation_(normalisation), longest_word_(longest_word) {
  for (std::size_t id = 0; id < pieces_.size(); ++id) {
    ids_[pieces_[id]] = static_cast<std::int32_t>(id);
    longest_piece_ = std::max(longest_piece_, pieces_[id].size());
  }
  const auto found = ids_.find(unknown);
  check<FormatError>(found != ids_.end(), "{}: the vocabulary has no piece '{}'", name, unknown);
  unknown_ = found->second;
}

void WordPiece::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  for (const std::string& word : bert_words(bert_normalised(text, normalisation_))) {
    encode_word(word, ids);
  }
}

// The longest piece that the rest of the word begins with, again and again.
void WordPiece::encode_word(std::string_view word, std::vector<std::int32_t>& ids) const {
  std::vector<std::size_t> ends;  // of the characters
  for (std::size_t at = 0; at < word.size();) {
    at += utf8_length(word.substr(at));
    ends.push_back(at);
  }
  const std::size_t before = ids.size();
  std::size_t begin = 0;
  std::string piece;
  while (begin < word.size() && static_cast<std::int64_t>(ends.size()) <= longest_word_) {
    const std::size_t start = begin;
    const auto last = std::upper_bound(ends.begin(), ends.end(), start + longest_piece_);
    for (auto end = std::make_reverse_iterator(last); end != ends.rend() && *end > start; ++end) {
      piece.assign(start > 0 ? kContinuation : "");
      piece += word.substr(start, *end - start);
      if (const auto found = ids_.find(piece); found != ids_.end()) {
        ids.push_back(found->second);
        begin = *end;
        break;
      }
    }
    if (begin == start) {
      break;
    }
  }
  if (begin < word.size()) {
    ids.resize(before);
    ids.push_back(unknown_);
  }
}

std::string WordPiece::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    check(id >= 0 && static_cast<std::size_t>(id) < pieces_.size(),
          "id {} is outside the vocabulary of {} pieces", id, pieces_.size());
    std::string_view piece = pieces_[static_cast<std::size_t>(id)];
    const bool goes_on = piece.starts_with(kContinuation) && !text.empty();
    if (goes_on) {
      piece.remove_prefix(kContinuation.size());
    }
    text += goes_on || text.empty() ? "" : " ";
    text += piece;
  }
  return text;
}

}  // namespace yona
