// One step through a model with its real numbers: a sentence and the beginning of its translation
// go through the stacks as always, and at one layer, head and token everything on the way is kept:
// embedding, position, query, keys, scores, mask, weights, values, feed-forward, and in the end the
// distribution of the next token. What "the Transformer explained" of the page shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/inspect/attention.h"

namespace yona {

struct ExplainRequest {
  std::string source;
  std::vector<std::string> target_prefix{};  // pieces that the decoder has written already
  AttentionPart part = AttentionPart::encoder;
  std::int64_t layer = 0, head = 0, query = 0;  // from 0; query: a token that looks
};

// Vectors are shown by their first kShownChannels channels.
inline constexpr std::int64_t kShownChannels = 16;

struct Explanation {
  using Row = std::vector<float>;
  struct Head {
    Row weights;      // of the chosen token over the keys
    double norm = 0;  // of what the head gives, Σ weight · value
  };
  struct Candidate {
    std::string token;
    std::int32_t id = 0;
    double probability = 0;
  };

  TransformerConfig config;
  AttentionPart part = AttentionPart::encoder;
  std::int64_t layer = 0, head = 0, query = 0;
  std::vector<std::string> source_tokens, decoder_tokens;  // as the stacks read them
  std::vector<std::int32_t> source_ids, decoder_ids;

  // Of each token of the stack that the part belongs to: embedding (times √d_model), position,
  // what enters the first layer, what enters the chosen layer.
  std::vector<Row> embeddings, positions, sums, inputs;
  // The chosen head: the chosen token's query, every key and value.
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
  Row inner, activated;         // x W₁ + b₁, and after the activation
  std::int64_t zeros = 0;       // of d_ff, after the activation
  Row feed_forward_output;      // … W₂ + b₂
  Row after_feed_forward;       // with residual and norm
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
