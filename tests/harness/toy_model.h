// An encoder-decoder small enough for exact tests, bound to memory of a backend, and batches for
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "yona/base/enum_names.h"
#include "yona/models/seq2seq.h"
#include "yona/models/transformer.h"
#include "yona/nn/parameters.h"
#include "yona/tensor/ops/cross_entropy.h"

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {

inline TransformerConfig toy_config() {
  TransformerConfig config;
  config.source_vocabulary = config.target_vocabulary = 11;
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 8;
  config.d_ff = 12;
  config.heads = 2;
  config.dropout = 0.0;
  config.max_positions = 16;
  return config;
}

// The architectures that are not the Transformer, in all their kinds.
inline std::vector<Seq2SeqConfig> other_toy_configs() {
  std::vector<Seq2SeqConfig> configs;
  for (const Cell cell : {Cell::lstm, Cell::gru, Cell::tanh}) {
    for (const Alignment alignment :
         {Alignment::none, Alignment::additive, Alignment::multiplicative}) {
      Seq2SeqConfig config = toy_config();
      config.arch = Arch::rnn;
      config.cell = cell;
      config.alignment = alignment;
      configs.push_back(config);
    }
  }
  Seq2SeqConfig config = toy_config();
  config.arch = Arch::convs2s;
  configs.push_back(config);
  config.arch = Arch::bytenet;
  config.encoder_layers = config.decoder_layers = 3;
  config.longest_dilation = 2;
  configs.push_back(config);
  config.arch = Arch::feed_forward;
  config.input_length = 8;
  configs.push_back(config);
  return configs;
}

inline std::string toy_name(const Seq2SeqConfig& config) {
  return std::string(enum_name(config.arch)) + " " + std::string(enum_name(config.cell)) + " " +
         std::string(enum_name(config.alignment));
}

struct ToySentence {
  std::uint64_t id = 0;
  std::vector<std::int32_t> source;
  std::vector<std::int32_t> target;  // as the decoder reads it, beginning with <pad>
};

// Sentences of the given lengths of source and target, in the vocabulary of toy_config().
inline std::vector<ToySentence> toy_sentences(
    const std::vector<std::pair<std::int64_t, std::int64_t>>& lengths) {
  std::vector<ToySentence> sentences;
  RandomSequence random(4);
  for (const auto& [source, target] : lengths) {
    ToySentence sentence{1000 + sentences.size(), {}, {}};
    for (std::int64_t i = 0; i < source; ++i) {
      sentence.source.push_back(static_cast<std::int32_t>(random.below(10)));
    }
    for (std::int64_t i = 0; i < target; ++i) {
      sentence.target.push_back(i == 0 ? 10 : static_cast<std::int32_t>(random.below(10)));
    }
    sentences.push_back(sentence);
  }
  return sentences;
}

class ToyModel {
 public:
  explicit ToyModel(const Seq2SeqConfig& config, std::string_view backend = "reference",
                    DType dtype = DType::f32)
      : made(make_seq2seq(config)),
        model(*made),
        parameters(model, shared_backend(backend), Gradients::yes, dtype),
        region(shared_backend(backend), std::int64_t{1} << 28U) {
    parameters.initialise(1);
    soil(region, 1 << 22);
    // Biases begin at zero and norms at one; a term that is forgotten must show.
    const std::vector<double> start = values_of(parameters.weights());
    std::vector<double> moved = random_values(parameters.count(), 5, -0.1, 0.1);
    for (std::size_t i = 0; i < moved.size(); ++i) {
      moved[i] += start[i];
    }
    set_values(parameters.weights(), moved);
    for (const Parameters::Entry& entry : parameters.entries()) {
      if (entry.name.ends_with("embedding.weight") || entry.name == "shared.weight" ||
          entry.name == "projection.weight") {  // <pad> stays zero
        const Tensor pad = entry.value.row_range(entry.value.rows() - 1, 1);
        set_values(pad, std::vector<double>(static_cast<std::size_t>(pad.cols()), 0.0));
      }
    }
  }

  Tokens tokens(const std::vector<ToySentence>& batch,
                std::vector<std::int32_t> ToySentence::*side) {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets{0};
    std::vector<std::uint64_t> names;
    for (const ToySentence& sentence : batch) {
      ids.insert(ids.end(), (sentence.*side).begin(), (sentence.*side).end());
      offsets.push_back(static_cast<std::int64_t>(ids.size()));
      names.push_back(sentence.id);
    }
    return {ids_of(ids, region), make_layout(offsets, names, region)};
  }

  Ragged encode(const std::vector<ToySentence>& batch, Context& c) {
    return model.encode(tokens(batch, &ToySentence::source), c);
  }
  Ragged decode(const std::vector<ToySentence>& batch, Context& c) {
    return model.decode(tokens(batch, &ToySentence::target), encode(batch, c), c);
  }

  std::unique_ptr<SequenceModel> made;
  SequenceModel& model;
  Parameters parameters;
  Region region;
};

}  // namespace yona::testing
