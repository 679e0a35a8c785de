// Byte-level text classification (Tay et al. 2021): the labelled sentences of a file as bytes. A
// text has the requested length: [CLS], then random sentences of one label with a line end after
// each, cut at that length. Its label is theirs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "yona/data/batch.h"

namespace yona {

class ByteTexts {
 public:
  static constexpr std::int64_t kVocabulary = 257;  // bytes, and [CLS]
  static constexpr std::size_t kHeldOut = 10;       // one sentence in this many is held out

  // A file as read_labelled_texts() reads it, SST-2's. Throws what that throws, and FormatError for
  // fewer than two labels and a label with fewer than kHeldOut sentences.
  explicit ByteTexts(const std::filesystem::path& file);

  std::int64_t labels() const { return static_cast<std::int64_t>(training_.size()); }
  // Sides of LabelledExamples; the same for the same key. Labels take turns.
  Batch training_batch(std::int64_t count, std::int64_t length, std::uint64_t key) const {
    return batch_of(training_, {count, length}, key);
  }
  Batch test_batch(std::int64_t count, std::int64_t length, std::uint64_t key) const {
    return batch_of(test_, {count, length}, key);
  }

 private:
  using Sentences = std::vector<std::vector<std::string>>;  // of each label
  struct Size {
    std::int64_t count, length;
  };
  static Batch batch_of(const Sentences& sentences, const Size& size, std::uint64_t key);

  Sentences training_, test_;
};

}  // namespace yona
