// Text as characters or as words, without sub-words.
#pragma once

#include <memory>

#include "yona/text/segmenter.h"
#include "yona/text/vocabulary.h"

namespace yona {

// Every character is a token; those that the vocabulary lacks are <unk>.
class CharacterSegmenter : public Segmenter {
 public:
  explicit CharacterSegmenter(std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)) {}
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
};

// Text between white space (Unicode's White_Space) is a token, or <unk>.
class WhitespaceSegmenter : public Segmenter {
 public:
  explicit WhitespaceSegmenter(std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)) {}
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
};

// The words between white space.
std::vector<std::string_view> whitespace_words(std::string_view text);

}  // namespace yona
