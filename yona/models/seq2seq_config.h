// Which encoder-decoder a run trains, and its numbers. The Transformer's config has what all of
// them share (vocabularies, layers, d_model, dropout, tying, longest sentence); the others add a
// few.
#pragma once

#include <array>
#include <string_view>

#include "yona/backend/recurrent_args.h"
#include "yona/models/transformer_config.h"

namespace yona {

// The Transformer, and what it replaced: docs/architectures.md.
enum class Arch : std::uint8_t { transformer, rnn, convs2s, bytenet, feed_forward };
constexpr std::array<std::string_view, 5> enum_names(Arch) {
  return {"transformer", "rnn", "convs2s", "bytenet", "feed-forward"};
}

// How a recurrent decoder looks at the source: not at all but for the encoder's last states
// (Sutskever et al. 2014), or by attention with the scores of Bahdanau et al. 2015 (additive) or of
// Luong et al. 2015 (multiplicative, "general").
enum class Alignment : std::uint8_t { none, additive, multiplicative };
constexpr std::array<std::string_view, 3> enum_names(Alignment) {
  return {"none", "additive", "multiplicative"};
}

struct Seq2SeqConfig : TransformerConfig {
  Seq2SeqConfig() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a Transformer is one of them
  Seq2SeqConfig(const TransformerConfig& transformer) : TransformerConfig(transformer) {}

  Arch arch = Arch::transformer;
  Cell cell = Cell::lstm;                     // rnn
  Alignment alignment = Alignment::additive;  // rnn
  std::int64_t kernel_width = 3;              // convs2s, bytenet: tokens that a convolution sees
                                              // feed-forward: target tokens that it sees
  std::int64_t longest_dilation = 16;         // bytenet: 1, 2, 4 … up to this, and again from 1
  std::int64_t input_length = 64;             // feed-forward: tokens of its input

  bool operator==(const Seq2SeqConfig&) const = default;
};

// The attention of architectures that have but one head: as wide as the model, where the kernels
// have heads of that width.
HeadShape one_wide_head(const Seq2SeqConfig& config);

// Tokens of the longest sentence that the model takes: model.max_positions, or the fixed length of
// a feed-forward one.
std::int64_t longest_sentence(const Seq2SeqConfig& config);

// Throws InvalidArgument naming the configuration key (model.d_model …) that cannot be.
void check_config(const Seq2SeqConfig& config);

}  // namespace yona
