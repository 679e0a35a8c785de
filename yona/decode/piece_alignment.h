// Which pieces translate which, learnt from sentence pairs alone: IBM Model 1 (Brown et al. 1993,
// §4.2) by expectation maximisation. A target piece comes from one source piece of its sentence, or
// from none, whatever their places; p(target | source) is what makes the pairs most probable.
#pragma once

#include <cstdint>
#include <vector>

#include "yona/base/thread_pool.h"
#include "yona/decode/hypothesis.h"

namespace yona {

// Sentence pairs as ids, one after another.
class PiecePairs {
 public:
  PiecePairs(std::int64_t source_vocabulary, std::int64_t target_vocabulary)
      : source_vocabulary_(source_vocabulary), target_vocabulary_(target_vocabulary) {}

  // Throws InvalidArgument for ids that are not in the vocabularies.
  void add(const Ids& source, const Ids& target);

  std::int64_t size() const { return static_cast<std::int64_t>(target_offsets_.size()) - 1; }
  std::int64_t source_vocabulary() const { return source_vocabulary_; }
  std::int64_t target_vocabulary() const { return target_vocabulary_; }
  const Ids& sources() const { return sources_; }
  const Ids& targets() const { return targets_; }
  const std::vector<std::int64_t>& source_offsets() const { return source_offsets_; }
  const std::vector<std::int64_t>& target_offsets() const { return target_offsets_; }

 private:
  std::int64_t source_vocabulary_, target_vocabulary_;
  Ids sources_, targets_;
  std::vector<std::int64_t> source_offsets_{0}, target_offsets_{0};
};

struct PieceTranslation {
  std::int32_t target = 0;
  float probability = 0;
};

struct PieceAlignmentOptions {
  int iterations = 5;
  std::int64_t kept = 400;  // translations of a source piece, from one iteration to the next
};

// p(target | source) of each source id, most probable first; nothing for ids that do not occur.
// The same whatever the number of threads.
std::vector<std::vector<PieceTranslation>> align_pieces(const PiecePairs& pairs,
                                                        const PieceAlignmentOptions& options,
                                                        ThreadPool& pool);

}  // namespace yona
