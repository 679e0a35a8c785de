// End-to-end memory networks (Sukhbaatar et al. 2015): a story of sentences is kept in a memory, a
// question reads it several times by attention, and the last state chooses one word as the answer.
//
//   m_i = Σ_j l_j ∘ A x_ij + T_A(i),   c_i = Σ_j l_j ∘ C x_ij + T_C(i)     §4.1: word j of sentence
//   i p = softmax(uᵀ m),   o = Σ_i p_i c_i,   u ← u + o                      §2.1, once for each
//   hop answer = softmax(W u)
// A sentence's number i counts from the last one backwards, so that it is its age. Words at the
// beginning and at the end of a sentence weigh on different channels (position encoding).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "yona/models/memory_network_config.h"
#include "yona/models/sequence_model.h"

namespace yona {

// Stories as they are on the host. Story n has the sentences stories[n] … stories[n + 1] - 1; the
// words of all sentences and of all questions are one after another.
struct Stories {
  std::span<const std::int32_t> words;
  std::span<const std::int32_t> sentence_lengths;  // in words, each at least 1
  std::span<const std::int64_t> stories;           // offsets in sentences
  std::span<const std::int32_t> questions;
  std::span<const std::int64_t> question_offsets;
};

// The same on the device. N stories, S sentences, T words.
struct StoryInput {
  Tensor words;                             // i32 [T]
  std::shared_ptr<const Layout> sentences;  // of words
  Tensor weights;                           // [T, d]: position encoding, see word_weights()
  std::shared_ptr<const Layout> stories;    // of sentences
  Tensor ages;                              // i32 [S]: 0 is the last sentence of a story
  Tensor questions;                         // i32 [Q]
  std::shared_ptr<const Layout> question_layout;
  Tensor question_weights;                // [Q, d]
  std::shared_ptr<const Layout> queries;  // one row for each story
};

class MemoryNetwork : public Module {
 public:
  explicit MemoryNetwork(const MemoryNetworkConfig& config);

  const MemoryNetworkConfig& config() const { return config_; }

  // Throws InvalidArgument for a story without sentences or with more than the memory holds, and
  // for a sentence or a question without words.
  StoryInput input(const Stories& stories, Region& region) const;

  // What the answer is chosen by: [N, d].
  Tensor states(const StoryInput& input, Context& c) const;
  // logits = states · weightᵀ; weight [V, d]
  OutputLayer output_layer() const;
  // Where each hop looks: for each hop the weights of all sentences of all stories, [1, S].
  std::vector<Tensor> attention(const StoryInput& input, Context& c) const;

 private:
  struct Pass {
    Tensor state;
    std::vector<Tensor> queries;   // u before each hop
    std::vector<Tensor> memories;  // of each table that hops read: [S, d]
  };
  bool is_adjacent() const { return config_.tying == MemoryTying::adjacent; }
  std::size_t key_table(std::int64_t hop) const;
  std::size_t value_table(std::int64_t hop) const;
  std::size_t question_table() const { return is_adjacent() ? 0 : 2; }
  Tensor memory(std::size_t table, const StoryInput& input, Context& c) const;
  Pass pass(const StoryInput& input, Context& c) const;

  MemoryNetworkConfig config_;
  std::vector<Parameter> tables_;  // [V, d]; adjacent: hops + 1; layer-wise: A, C, B, W
  std::vector<Parameter> ages_;    // [memory, d] for each table that hops read
  Parameter transform_;            // H [d, d], layer-wise
};

// How much word j of a sentence of J words counts in channel k of d, times J, as the mean over the
// words is taken afterwards: J · l_kj, l_kj = (1 - j/J) - (k/d)(1 - 2j/J), counted from 1 (§4.1).
double word_weight(std::int64_t j, std::int64_t length, std::int64_t k, std::int64_t d);

}  // namespace yona
