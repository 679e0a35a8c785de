// Text ↔ tokens of a language model. Tokens are bytes: the text of a few of them may end within a
// character. io/causal_lm/lm_tokenizer.h reads one from a model folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yona/text/segmenter.h"

namespace yona {

class TextTokenizer {
 public:
  // A token beside those that text is cut into: <|endoftext|>, <s> …
  struct Added {
    std::string text;
    std::int32_t id = 0;
    bool special = true;                             // has no text of its own
    bool strips_left = false, strips_right = false;  // takes white space beside it along
  };
  struct Parts {
    std::shared_ptr<const Segmenter> segmenter;
    std::vector<std::string> bytes;  // what each token adds to a text; special ones: nothing
    std::vector<Added> added{};
    std::int32_t begin = -1, end = -1, pad = -1;  // -1: there is none
    std::vector<std::int32_t> before{}, after{};  // what transformers puts around a text
    bool strips_space = false;  // a text decoded from its beginning loses the space in front
  };

  explicit TextTokenizer(Parts parts);

  // Appends the tokens of a text. Added tokens that are written out in it are taken at their word,
  // as transformers does. Thread-safe, as everything here.
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const;
  std::vector<std::int32_t> encode(std::string_view text) const;
  // With the tokens around it that transformers adds: <s> in front for Llama, none for GPT-2.
  std::vector<std::int32_t> encode_prompt(std::string_view text) const;

  // The text of tokens, without special ones; bytes that are not UTF-8 become U+FFFD.
  std::string decode(std::span<const std::int32_t> ids) const;
  // What a token adds to a text; empty for special tokens. Throws InvalidArgument for an id out of
  // range.
  const std::string& bytes(std::int32_t id) const;
  const std::vector<std::string>& all_bytes() const { return parts_.bytes; }

  std::int64_t size() const { return static_cast<std::int64_t>(parts_.bytes.size()); }
  std::int32_t begin() const { return parts_.begin; }  // <s>; -1: there is none
  std::int32_t end() const { return parts_.end; }      // </s>, <|endoftext|>
  std::int32_t pad() const { return parts_.pad; }
  bool is_special(std::int32_t id) const;
  const std::vector<Added>& added() const { return parts_.added; }
  // The id of an added token, by its text.
  std::optional<std::int32_t> find(std::string_view text) const;

 private:
  struct Found;
  std::optional<Found> next_added(std::string_view text, std::size_t from) const;

  Parts parts_;
  std::vector<bool> special_;
  std::string first_bytes_;  // that added tokens begin with
};

}  // namespace yona
