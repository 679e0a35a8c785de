// The trie is walked here, and not by SentencePiece, for tokenizers does something else with it:
// where a character and what combines with it are short, what the first rule that fits makes of its
// beginning stands for the whole of it.

#include "yona/text/charsmap.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include <unicode/brkiter.h>
#include <unicode/utext.h>

#include "yona/base/error.h"
#include "yona/text/charsmap_check.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr std::size_t kLongestWhole = 5;  // bytes of a character with what combines with it

// Where the characters end, each with what combines with it (extended grapheme clusters).
std::vector<std::size_t> cluster_ends(std::string_view text) {
  std::vector<std::size_t> ends;
  UErrorCode error = U_ZERO_ERROR;
  thread_local const std::unique_ptr<icu::BreakIterator> kBreaks(
      icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), error));
  UText* const bytes =
      ::utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &error);
  if (kBreaks) {
    kBreaks->setText(bytes, error);
  }
  const bool works = kBreaks && U_SUCCESS(error) != 0;
  for (std::int32_t end = works ? kBreaks->next() : icu::BreakIterator::DONE;
       end != icu::BreakIterator::DONE; end = kBreaks->next()) {
    ends.push_back(static_cast<std::size_t>(end));
  }
  ::utext_close(bytes);
  check(works, "ICU cannot divide text into characters: {}", ::u_errorName(error));
  return ends;
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

// charsmap_check.cc describes the format, and has seen to it that no step leads outside.
struct Charsmap::Impl {
  std::vector<std::uint32_t> units;
  std::string texts;

  std::uint32_t next(std::uint32_t place) const {
    const std::uint32_t unit = units[place];
    return place ^ ((unit >> 10U) << ((unit & (1U << 9U)) >> 6U));
  }

  // What is written for the shortest beginning of `text` that has a rule.
  std::optional<std::string_view> find(std::string_view text) const {
    std::uint32_t place = 0;
    for (const char c : text) {
      const std::uint32_t label = static_cast<unsigned char>(c);
      place = next(place) ^ label;
      if ((units[place] & 0x8000'00FFU) != label) {
        return std::nullopt;
      }
      if (((units[place] >> 8U) & 1U) != 0) {
        return std::string_view(texts.data() + (units[next(place)] & 0x7FFF'FFFFU));
      }
    }
    return std::nullopt;
  }

  void append(std::string_view cluster, std::string& out) const {
    if (const auto whole = cluster.size() <= kLongestWhole ? find(cluster) : std::nullopt) {
      out += *whole;
      return;
    }
    while (!cluster.empty()) {
      const std::string_view character = cluster.substr(0, utf8_length(cluster));
      out += find(character).value_or(character);
      cluster.remove_prefix(character.size());
    }
  }
};

Charsmap::Charsmap(std::string_view precompiled, std::string_view name) {
  check_charsmap(precompiled, name);
  std::uint32_t trie_bytes = 0;
  std::memcpy(&trie_bytes, precompiled.data(), sizeof trie_bytes);
  auto impl = std::make_unique<Impl>();
  impl->units.resize(trie_bytes / sizeof(std::uint32_t));
  std::memcpy(impl->units.data(), precompiled.data() + sizeof trie_bytes, trie_bytes);
  impl->texts = precompiled.substr(sizeof trie_bytes + trie_bytes);
  impl_ = std::move(impl);
}

Charsmap::~Charsmap() = default;
Charsmap::Charsmap(Charsmap&&) noexcept = default;
Charsmap& Charsmap::operator=(Charsmap&&) noexcept = default;

std::string Charsmap::operator()(std::string_view text) const {
  std::string normalised;
  if (is_ascii(text) && text.find('\r') == std::string_view::npos) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      impl_->append(text.substr(at, 1), normalised);
    }
    return normalised;
  }
  const std::string repaired = repaired_utf8(text);
  const std::string_view valid = repaired;
  std::size_t begin = 0;
  for (const std::size_t end : cluster_ends(valid)) {
    impl_->append(valid.substr(begin, end - begin), normalised);
    begin = end;
  }
  return normalised;
}

}  // namespace yona
