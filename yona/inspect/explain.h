// One step through a model with its real numbers: a sentence and the beginning of its translation,
// or the prompt of a language model (explain_lm.h), go through the stacks as always, and at one
// layer, head and token everything on the way is kept: embedding, position, query, keys, scores,
// mask, weights, values, feed-forward, and in the end the distribution of the next token. What "the
// Transformer explained" of the page shows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/inspect/attention.h"
#include "yona/nn/block.h"

namespace yona {

struct ExplainRequest {
  std::string source;
  std::vector<std::string> target_prefix{};  // pieces that the decoder has written already
  AttentionPart part = AttentionPart::encoder;
  std::int64_t layer = 0, head = 0, query = 0;  // from 0; query: a token that looks
};

// Vectors are shown by their first kShownChannels channels.
inline constexpr std::int64_t kShownChannels = 16;

// The numbers of the model that is explained.
struct ExplainedModel {
  std::int64_t encoder_layers = 0, decoder_layers = 0;  // a decoder alone has no encoder layers
  std::int64_t d_model = 0, vocabulary = 0;
  HeadShape heads{};
  AttentionKind attention = AttentionKind::scaled;
  FeedForwardShape feed_forward{};
  NormPosition norm = NormPosition::post;
  NormKind norm_kind = NormKind::layer;
  bool scaled_embedding = false;  // by √d_model
  bool tied = true;               // the matrix that makes logits is the embedding
  std::string positions{};        // as the configuration names them
};

struct Explanation {
  using Row = std::vector<float>;
  struct Head {
    Row weights;      // of the chosen token over the keys
    double norm = 0;  // of what the head gives, Σ weight · value
  };
  // A pair of channels that rotary positions turn, of the chosen token's query.
  struct Turn {
    std::array<float, 2> before{}, after{};
    double angle = 0;  // in radians: token · base^(-2i/d_k)
  };
  struct Candidate {
    std::string token;
    std::int32_t id = 0;
    double logit = 0;
    double probability = 0;
  };

  ExplainedModel model;
  AttentionPart part = AttentionPart::encoder;
  std::int64_t layer = 0, head = 0, query = 0;
  std::vector<std::string> source_tokens, decoder_tokens;  // as the stacks read them
  std::vector<std::int32_t> source_ids, decoder_ids;

  // Of each token of the stack that the part belongs to: embedding (times √d_model), position,
  // what enters the first layer, what enters the chosen layer.
  std::vector<Row> embeddings, positions, sums, inputs;
  Row attention_input;  // of the chosen token: what its attention reads, Norm(x) in pre-norm
  // The chosen head: the chosen token's query, every key and value. With rotary positions queries
  // and keys are turned; both before that, and the query's first pairs of channels.
  Row unturned_q;
  std::vector<Row> unturned_k;
  std::vector<Turn> turns;
  Row q;
  std::vector<Row> k, v;
  std::vector<double> scores;  // q·kᵀ/√d_k (+ relative position) of all keys, before the mask
  std::vector<bool> seen;      // by the mask
  std::vector<Row> weights;    // softmax: [queries][keys]
  Row head_output;             // Σ weight · value of the chosen token
  std::vector<Head> heads;     // all heads of the layer, for the chosen token
  Row attention_output;        // Concat(heads) W^O
  Row after_attention;         // with residual and norm
  // The feed-forward network of the same layer, for the chosen token.
  Row feed_forward_input;      // what it reads
  Row inner, gate, activated;  // x W₁ + b₁; x W_g, where it is gated; after activation and gate
  std::int64_t zeros = 0;      // of d_ff, after the activation
  Row feed_forward_output;     // … W₂ + b₂
  Row after_feed_forward;      // with residual and norm
  // The last token: out of the last layer, and after the last norm, where there is one.
  Row last_layer, last_state;
  double log_sum = 0;           // log Σ exp(logit): probability = exp(logit - log_sum)
  std::vector<Candidate> next;  // most probable first, at most ten
};

// Runs the model. Throws InvalidArgument for an empty or too long source, a piece, layer, head or
// token that is not there; NotImplemented for additive attention, which has no q·kᵀ.
Explanation explain(const TranslationModel& model, Backend& backend, const ExplainRequest& request);

// {"q": TEXT, "target_prefix": […], "stack": "encoder|decoder|cross", "layer", "head", "query"}.
// Throws InvalidArgument naming the field that is missing or has another type.
ExplainRequest explain_request(const Json& body);
// All of it; numbers with five decimals. Can be preempted.
Json explanation_json(const Explanation& explanation);

}  // namespace yona
