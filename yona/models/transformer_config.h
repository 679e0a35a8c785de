// The numbers of a Transformer (Vaswani et al. 2017, Table 3) with the paper's base as defaults.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yona/config/config_key.h"
#include "yona/nn/block.h"
#include "yona/nn/embedding.h"
#include "yona/nn/positions.h"
#include "yona/nn/relative_positions.h"

namespace yona {

// Which of the three embedding matrices are one (paper §3.4: all of them): the decoder's two
// (target), or the two stacks' inputs (inputs).
enum class Tying : std::uint8_t { all, target, inputs, none };
constexpr std::array<std::string_view, 4> enum_names(Tying) {
  return {"all", "target", "inputs", "none"};
}

// Where published encoder-decoders depart from the paper; the defaults are the paper's. See
// docs/models.md for which of them each Hugging Face family sets. Another architecture is a model
// of its own over the same blocks (nn/block.h), not a field here.
struct Departures {
  Padding padding = Padding::barred;
  std::int64_t start_id = -1;          // the decoder's first input; -1: <pad>, the last id
  bool scaled_embedding = true;        // by √d_model on the way in
  bool embedding_norm = false;         // of the sum of embedding and position
  std::int64_t first_position = 0;     // where the sinusoids begin
  std::int64_t relative_buckets = 32;  // with PositionKind::relative
  std::int64_t relative_reach = 128;
  NormKind norm_kind = NormKind::layer;
  double norm_epsilon = kNormEpsilon;
  bool gated = false;            // feed-forward layers
  bool biases = true;            // of the products in the layers
  bool scaled_output = false;    // states times 1/√d_model in front of the projection
  bool projection_bias = false;  // on the logits
  // An id whose vector is not learned as an input, though it may be as an output; -1: none. What
  // Hugging Face does with <pad>, with which some decoders begin.
  std::int64_t constant_input = -1;

  bool operator==(const Departures&) const = default;
};

// A part that is left out, to measure its effect (study/parts.cc). Not for files.
enum class MissingPart : std::uint8_t { none, causal_mask, residual };

struct TransformerConfig {
  std::int64_t source_vocabulary = 0;  // with <pad>, the last id
  std::int64_t target_vocabulary = 0;
  std::int64_t encoder_layers = 6;  // N
  std::int64_t decoder_layers = 6;
  std::int64_t d_model = 512;
  std::int64_t d_ff = 2048;
  std::int64_t heads = 8;  // h
  std::int64_t d_k = 0;    // 0: d_model / h
  std::int64_t d_v = 0;
  double dropout = 0.1;             // P_drop: residual and embedding, §5.4
  double attention_dropout = 0.0;   // of the attention weights; none in the paper
  double activation_dropout = 0.0;  // inside the feed-forward layer; none in the paper
  FeedForwardActivation activation = FeedForwardActivation::relu;
  NormPosition norm = NormPosition::post;
  AttentionKind attention = AttentionKind::scaled;
  AttentionSizes attention_sizes{};  // of self-attention, where its kind is sparse
  bool reversible = false;           // layers whose inputs follow from their outputs
  PositionKind positions = PositionKind::sinusoidal;
  double position_base = 10000.0;
  std::int64_t max_positions = 1024;
  Tying tying = Tying::all;
  Departures departures{};
  MissingPart missing = MissingPart::none;

  HeadShape head_shape() const {
    return {heads, d_k > 0 ? d_k : d_model / heads, d_v > 0 ? d_v : d_model / heads};
  }
  // What the layers of both stacks are built from; `rotary` is null without rotary positions.
  BlockOptions block(const RotaryPositions* rotary = nullptr) const {
    const Biases biases = departures.biases ? Biases::yes : Biases::no;
    return {.d_model = d_model,
            .heads = head_shape(),
            .attention = {.kind = attention,
                          .dropout = attention_dropout,
                          .rotary = rotary,
                          .sizes = attention_sizes},
            .attention_biases = {biases, biases},
            .feed_forward = {d_ff, activation, departures.gated, biases},
            .activation_dropout = activation_dropout,
            .norm = {norm, dropout, departures.norm_kind,
                     static_cast<float>(departures.norm_epsilon), missing != MissingPart::residual},
            .reversible = reversible};
  }

  bool operator==(const TransformerConfig&) const = default;
};

// Throws InvalidArgument naming the configuration key (model.heads …) that cannot be.
void check_config(const TransformerConfig& config);

// The fields that a run sets as model.*, by name.
const ConfigKeys<TransformerConfig>& transformer_keys();
// All fields, as yona's part of config.json keeps them (io/model_description.h). A new option is
// added to the struct and here; YAML, --set, docs/configuration.md and config.json follow.
const ConfigKeys<TransformerConfig>& transformer_fields();

// tiny, iwslt, base or big; throws InvalidArgument with the list for others.
TransformerConfig preset(std::string_view name);
std::vector<std::string> preset_names();

}  // namespace yona
