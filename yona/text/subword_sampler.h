// Segmentations drawn at random: BPE-dropout (Provilkov et al. 2020) and unigram sampling
// (Kudo 2018). SentencePiece has both, but draws from a generator per thread that cannot be seeded
// per call; here the draw is a function of its key alone, so that a resumed run repeats it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "yona/base/random.h"
#include "yona/text/spm_file.h"

namespace yona {

class SubwordSampler {
 public:
  // `file` must outlive the sampler.
  explicit SubwordSampler(const SpmFile& file);

  // Segments text that the model's normaliser has produced (spaces are U+2581) and appends
  // SentencePiece ids. Tags are never cut. alpha: see Subword::sample. With alpha 0 BPE gives the
  // library's own segmentation; so does unigram as alpha grows.
  void sample(std::string_view normalised, double alpha, RandomSequence& random,
              std::vector<int>& ids) const;

 private:
  int find(std::string_view piece) const;
  std::size_t tag_length(std::string_view text) const;
  void sample_bpe(std::string_view text, double alpha, RandomSequence& random,
                  std::vector<int>& ids) const;
  void sample_unigram(std::string_view text, double alpha, RandomSequence& random,
                      std::vector<int>& ids) const;
  void append(std::string_view piece, int id, std::vector<int>& ids) const;

  const SpmFile& file_;
  std::unordered_map<std::string_view, int> ids_;  // normal and unused pieces
  std::vector<std::string_view> tags_;             // longest first
  std::unordered_map<std::string_view, int> tag_ids_;
  std::vector<int> byte_ids_;  // empty without byte fallback
  std::size_t longest_piece_ = 1;
  int unknown_ = 0;
  double unknown_score_ = 0;
};

}  // namespace yona
