#include "yona/text/tokenizer/text_tokenizer.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/text/piece_segmenter.h"
#include "yona/text/utf8.h"

namespace yona {

struct TextTokenizer::Found {
  std::size_t begin, end;
  const Added* token;
};

TextTokenizer::TextTokenizer(Parts parts) : parts_(std::move(parts)) {
  special_.resize(parts_.bytes.size());
  for (const Added& token : parts_.added) {
    check<FormatError>(token.id >= 0 && token.id < size(),
                       "tokenizer: '{}' has id {}, but there are {} tokens", token.text, token.id,
                       size());
    special_[static_cast<std::size_t>(token.id)] = token.special;
    if (token.special) {
      parts_.bytes[static_cast<std::size_t>(token.id)].clear();
    }
    if (!token.text.empty() && first_bytes_.find(token.text.front()) == std::string::npos) {
      first_bytes_ += token.text.front();
    }
  }
}

// The leftmost one from `from` on, and of several there the longest.
std::optional<TextTokenizer::Found> TextTokenizer::next_added(std::string_view text,
                                                              std::size_t from) const {
  for (std::size_t at = text.find_first_of(first_bytes_, from); at != std::string_view::npos;
       at = text.find_first_of(first_bytes_, at + 1)) {
    const Added* best = nullptr;
    for (const Added& token : parts_.added) {
      const bool longer = best == nullptr || token.text.size() > best->text.size();
      if (!token.text.empty() && longer && text.substr(at).starts_with(token.text)) {
        best = &token;
      }
    }
    if (best != nullptr) {
      return Found{at, at + best->text.size(), best};
    }
  }
  return std::nullopt;
}

void TextTokenizer::encode(std::string_view text, std::vector<std::int32_t>& ids) const {
  std::size_t done = 0;
  const auto encode_up_to = [&](std::size_t end) {
    if (end > done) {
      const auto before = static_cast<std::ptrdiff_t>(ids.size());
      const std::string_view part = text.substr(done, end - done);
      if (done == 0) {
        parts_.segmenter->encode(part, ids);
      } else {
        parts_.segmenter->encode_rest(part, ids);
      }
      // What the vocabulary does not know, where it has no token for that either, is left out.
      ids.erase(std::remove_if(ids.begin() + before, ids.end(),
                               [&](std::int32_t id) { return id >= size(); }),
                ids.end());
    }
  };
  while (const auto found = next_added(text, done)) {
    const std::string_view before = text.substr(done, found->begin - done);
    encode_up_to(done + without_space(before, false, found->token->strips_left).size());
    ids.push_back(found->token->id);
    done = text.size() -
           without_space(text.substr(found->end), found->token->strips_right, false).size();
  }
  encode_up_to(text.size());
}

std::vector<std::int32_t> TextTokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  encode(text, ids);
  return ids;
}

std::vector<std::int32_t> TextTokenizer::encode_prompt(std::string_view text) const {
  std::vector<std::int32_t> ids = parts_.before;
  encode(text, ids);
  ids.insert(ids.end(), parts_.after.begin(), parts_.after.end());
  return ids;
}

std::string TextTokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) {
    text += bytes(id);
  }
  const bool strips = parts_.strips_space && text.starts_with(' ');
  return lossy_utf8(strips ? text.substr(1) : text);
}

const std::string& TextTokenizer::bytes(std::int32_t id) const {
  check(id >= 0 && id < size(), "tokenizer: id {} is out of range, there are {} tokens", id,
        size());
  return parts_.bytes[static_cast<std::size_t>(id)];
}

bool TextTokenizer::is_special(std::int32_t id) const {
  return id >= 0 && id < size() && special_[static_cast<std::size_t>(id)];
}

std::optional<std::int32_t> TextTokenizer::find(std::string_view text) const {
  const auto found = std::find_if(parts_.added.begin(), parts_.added.end(),
                                  [&](const Added& token) { return token.text == text; });
  return found == parts_.added.end() ? std::nullopt : std::optional(found->id);
}

}  // namespace yona
