// A small parallel corpus for studies: items of the built-in data in English and French, without
// repetitions, split into words. Test items have no item of the training set
// (data/builtin/split.h).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yona/data/batch.h"
#include "yona/data/builtin/generator.h"

namespace yona {

class WordPairs {
 public:
  using Pair = std::pair<std::string, std::string>;
  using Pairs = std::vector<Pair>;

  static constexpr std::uint64_t kSeed = 1;  // of studies: the same for every seed of the training
  struct Sizes {
    std::int64_t training = 1000, validation = 100, test = 200;
  };
  // The vocabulary of both languages is that of the training set: </s>, <unk>, its words in order
  // of their first use, <pad>.
  WordPairs(const Sizes& sizes, std::uint64_t seed);

  std::int64_t vocabulary() const { return static_cast<std::int64_t>(words_.size()) + 1; }

  // `count` pairs drawn from the first `limit` of the training set; the same for the same key.
  Batch training_batch(std::int64_t count, std::int64_t limit, std::uint64_t key) const;
  Batch validation() const { return batch_of(validation_); }
  Batch test() const { return batch_of(test_); }

  // The French of the test set, and what ids of that language read as, up to </s>.
  std::vector<std::string> references() const;
  std::string text_of(const std::vector<std::int32_t>& ids) const;

  // `count` pairs of the generator whose sources are not among `seen`, where they are added. Throws
  // InvalidArgument when it has nothing but repetitions for a long time.
  static Pairs different_pairs(builtin::Generator& generator, std::int64_t count,
                               std::set<std::string>& seen);

 private:
  void collect_words(const Pair& pair);
  std::vector<std::int32_t> ids_of(std::string_view text) const;  // with </s>
  void append(Batch& batch, const Pair& pair, std::uint64_t id) const;
  Batch batch_of(const Pairs& pairs) const;

  Pairs training_, validation_, test_;
  std::vector<std::string> words_;                            // by id, without <pad>
  std::vector<std::pair<std::string, std::int32_t>> sorted_;  // by word
};

}  // namespace yona
