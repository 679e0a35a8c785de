// Text whose pieces are already separated by spaces: Marian with a plain vocabulary.
#pragma once

#include <memory>

#include "yona/text/segmenter.h"
#include "yona/text/vocabulary.h"

namespace yona {

class WordSegmenter : public Segmenter {
 public:
  explicit WordSegmenter(std::shared_ptr<const Vocabulary> vocabulary)
      : vocabulary_(std::move(vocabulary)) {}

  // Words that the vocabulary lacks become <unk>.
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override;
  std::string decode(std::span<const std::int32_t> ids) const override;

 private:
  std::shared_ptr<const Vocabulary> vocabulary_;
};

}  // namespace yona
