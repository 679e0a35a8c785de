#include "yona/inspect/open_layers.h"

#include "yona/base/error.h"
#include "yona/tensor/ops/gelu.h"
#include "yona/tensor/ops/multiply.h"
#include "yona/tensor/ops/rms_norm.h"
#include "yona/tensor/ops/rotary.h"
#include "yona/tensor/ops/silu.h"

namespace yona {

namespace {

// Empty where the model has no such parameter: biases of some families.
Tensor weight_of(const Parameters& parameters, const std::string& name) {
  const Parameters::Entry* entry = parameters.find(name);
  return entry != nullptr ? entry->value : Tensor();
}

Tensor joined_or_empty(const Tensor& a, const Tensor& b) { return a ? a.joined(b) : Tensor(); }

// x Wᵀ + b, where W and b may be those of several neighbours as one: the products of
// MultiHeadAttention, so that packed weights find the same matrices.
struct Projections {
  const Parameters& parameters;
  const std::string& path;

  Tensor operator()(const Tensor& x, std::initializer_list<const char*> names, Context& c) const {
    Tensor weight, bias;
    for (const char* name : names) {
      const Tensor w = weight_of(parameters, path + name + ".weight");
      const Tensor b = weight_of(parameters, path + name + ".bias");
      weight = weight ? weight.joined(w) : w;
      bias = bias ? joined_or_empty(bias, b) : b;
    }
    return linear(x, weight, bias, {}, c);
  }
};

// RMSNorm of each head, with one weight for all of them.
Tensor norm_of_heads(const Tensor& heads, const Tensor& weight, const BlockOptions& block,
                     Context& c) {
  const std::int64_t d_k = block.heads.d_k;
  return rms_norm(heads.reshape({heads.elements() / d_k, d_k}), weight,
                  static_cast<float>(block.attention.qk_norm_epsilon), c)
      .reshape({heads.rows(), heads.cols()});
}

// Q, K and V, not turned yet.
OpenAttention projections_of(const BlockOptions& block, const Projections& project, const Ragged& x,
                             const Ragged& memory, Context& c) {
  const HeadShape& shape = block.heads;
  OpenAttention open;
  if (x.values.raw() != memory.values.raw()) {
    open.Q = project(x.values, {"query"}, c);                       // [T, h·d_k]
    const Tensor kv = project(memory.values, {"key", "value"}, c);  // [T_m, h(d_k + d_v)]
    open.K = kv.columns(0, shape.keys());
    open.V = kv.columns(shape.keys(), shape.values());
  } else if (block.attention.qk_norm_epsilon > 0) {
    const auto norm = [&](const char* name) {
      return weight_of(project.parameters, project.path + name + "_norm.weight");
    };
    open.Q = norm_of_heads(project(x.values, {"query"}, c), norm("query"), block, c);  // [T, h·d_k]
    open.K = norm_of_heads(project(x.values, {"key"}, c), norm("key"), block, c);  // [T, h'·d_k]
    open.V = project(x.values, {"value"}, c);                                      // [T, h'·d_v]
  } else {
    const Tensor qkv = project(x.values, {"query", "key", "value"}, c);  // [T, h·d_k + h'(…)]
    open.Q = qkv.columns(0, shape.queries());
    open.K = qkv.columns(shape.queries(), shape.keys());
    open.V = qkv.columns(shape.queries() + shape.keys(), shape.values());
  }
  return open;
}

Tensor activation_of(FeedForwardActivation activation, const Tensor& inner, const Tensor& relu,
                     Context& c) {
  switch (activation) {
    case FeedForwardActivation::relu:
      return relu;
    case FeedForwardActivation::gelu:
      return gelu(inner, c);
    case FeedForwardActivation::gelu_tanh:
      return gelu_tanh(inner, c);
    case FeedForwardActivation::silu:
      return silu(inner, c);
  }
  fail("explain: unknown activation {}", static_cast<int>(activation));
}

}  // namespace

void bind_weights(Module& module, const Parameters& parameters, const std::string& prefix,
                  Region& region) {
  module.visit([&](const std::string& name, Parameter& parameter) {
    parameter.value = weight_of(parameters, prefix + name);
    check(static_cast<bool>(parameter.value), "explain: the model has no weight {}", prefix + name);
  });
  module.visit_constants([&](Constant& constant) {
    const std::vector<double> values = constant.values();
    constant.value = Tensor(region, DType::f32, constant.shape);
    constant.value.upload(std::vector<float>(values.begin(), values.end()));
  });
}

OpenInput open_input(Stack stack, const TransformerConfig& config, const Parameters& parameters,
                     const Tokens& tokens, Context& c) {
  const std::string path = stack == Stack::encoder ? "encoder." : "decoder.";
  const bool own = parameters.find(path + "embedding.weight") != nullptr;
  TokenTable table(stack == Stack::encoder ? config.source_vocabulary : config.target_vocabulary,
                   config.d_model, config.departures.padding);
  bind_weights(table, parameters, own ? path + "embedding." : "shared.", c.region);
  const Positions nowhere(PositionKind::none, 0, config.d_model, config.position_base);
  Positions positions(config.positions, tokens.layout->longest, config.d_model,
                      config.position_base, config.departures.first_position);
  bind_weights(positions, parameters, path + "positions.", c.region);
  LayerNorm norm(config.d_model, config.departures.norm_kind,
                 static_cast<float>(config.departures.norm_epsilon));
  if (config.departures.embedding_norm) {
    bind_weights(norm, parameters, path + "embedding_norm.", c.region);
  }
  const bool scaled = config.departures.scaled_embedding;
  return {InputEmbedding(table, nowhere, {.scaled = scaled})(tokens, c),
          InputEmbedding(table, positions,
                         {.scaled = scaled,
                          .norm = config.departures.embedding_norm ? &norm : nullptr})(tokens, c)};
}

OpenAttention open_attention(const std::string& path, const BlockOptions& block,
                             const Parameters& parameters, const Ragged& x, const Ragged& memory,
                             const Sight& sight, Context& c) {
  const bool is_self = x.values.raw() == memory.values.raw();
  const Projections project{parameters, path};
  OpenAttention open = projections_of(block, project, x, memory, c);
  if (is_self && block.attention.rotary != nullptr) {
    const OpenAttention unturned = projections_of(block, project, x, memory, c);
    open.Q_unrotated = unturned.Q;  // those of `open` are turned in place
    open.K_unrotated = unturned.K;
    for (const Tensor& turned : {open.Q, open.K}) {
      rotary(turned, x.layout->positions, block.attention.rotary->table(), block.heads.d_k, c);
    }
  }
  const std::unique_ptr<AttentionMechanism> attend =
      make_attention(is_self ? block.attention : block.attention.across(), block.heads);
  bind_weights(*attend, parameters, path + "attend.", c.region);
  const Ragged Q = x.with(open.Q);
  const Ragged K = memory.with(open.K);
  open.weights = attend->weights(Q, K, sight, c);
  open.heads = (*attend)(Q, K, memory.with(open.V), sight, c);
  open.output = x.with(project(open.heads.values, {"output"}, c));  // [T, d_model]
  return open;
}

OpenFeedForward open_feed_forward(const std::string& path, const FeedForwardShape& shape,
                                  const Parameters& parameters, const Ragged& x, Context& c) {
  const Tensor weight = weight_of(parameters, path + "inner.weight");
  const Tensor bias = weight_of(parameters, path + "inner.bias");
  OpenFeedForward open;
  open.inner = linear(x.values, weight, bias, {}, c);  // [T, d_ff]
  const Tensor relu =
      linear(x.values, weight, bias, {.activation = Activation::relu, .dropout = {}}, c);
  open.activated = activation_of(shape.activation, open.inner, relu, c);  // [T, d_ff]
  const Projections project{parameters, path};
  if (shape.gated) {
    open.gate = project(x.values, {"gate"}, c);               // [T, d_ff]
    open.activated = multiply(open.activated, open.gate, c);  // [T, d_ff]
  }
  open.output = x.with(project(open.activated, {"outer"}, c));  // [T, d_model]
  return open;
}

}  // namespace yona
