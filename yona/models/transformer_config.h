// The numbers of a Transformer (Vaswani et al. 2017, Table 3) with the paper's base as defaults.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "yona/nn/attention/mechanism.h"
#include "yona/nn/feed_forward.h"
#include "yona/nn/norm.h"
#include "yona/nn/positions.h"

namespace yona {

// Which of the three embedding matrices are one (paper §3.4: all of them).
enum class Tying : std::uint8_t { all, target, none };

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
  PositionKind positions = PositionKind::sinusoidal;
  double position_base = 10000.0;
  std::int64_t max_positions = 1024;
  Tying tying = Tying::all;

  HeadShape head_shape() const {
    return {heads, d_k > 0 ? d_k : d_model / heads, d_v > 0 ? d_v : d_model / heads};
  }
};

// Throws InvalidArgument naming the configuration key (model.heads …) that cannot be.
void check_config(const TransformerConfig& config);

// tiny, iwslt, base or big; throws InvalidArgument with the list for others.
TransformerConfig preset(std::string_view name);
std::vector<std::string> preset_names();

}  // namespace yona
