#include "yona/study/layer_structure.h"

#include <algorithm>
#include <vector>

#include "yona/base/error.h"
#include "yona/study/bound_layer.h"

namespace yona {

namespace {

constexpr std::int64_t kProbeWidth = 16;
constexpr std::uint64_t kProbeSeed = 1;

struct CallCounter : Profile {
  void begin() override { ++calls; }
  void end(std::string_view /*name*/) override {}
  std::int64_t calls = 0;
};

std::int64_t forward_calls(const LayerKind& kind, std::int64_t length, Backend& backend) {
  BoundLayer bound(kind, {.width = kProbeWidth}, backend, kProbeSeed);
  const Ragged x = bound.sentence(length);
  CallCounter counter;
  backend.exec().profile = &counter;
  bound.layer()(x, bound.context());
  backend.exec().profile = nullptr;
  return counter.calls;
}

// What a recurrent layer keeps for many steps must not fade to zero in f32: the structure is asked
// for, not the weights. Its gates are i, f, g and o (backend/recurrent_args.h).
void open_forget_gates(Parameters& parameters) {
  constexpr float kOpen = 6.0F;
  if (const Parameters::Entry* bias = parameters.find("recurrent.hidden.bias"); bias != nullptr) {
    std::vector<float> values(static_cast<std::size_t>(bias->value.elements()), 0.0F);
    std::fill_n(values.begin() + kProbeWidth, kProbeWidth, kOpen);
    bias->value.upload(values);
  }
}

}  // namespace

std::int64_t layer_reach(const LayerKind& kind, std::int64_t depth, std::int64_t length) {
  const auto backend = make_backend("cpu", {.threads = 1});
  BoundLayer bound(kind, {.width = kProbeWidth, .depth = depth}, *backend, kProbeSeed);
  open_forget_gates(bound.parameters());
  const Ragged x = bound.sentence(length);
  Context& c = bound.context();
  const Ragged y = bound.layer()(x, c);
  std::vector<float> of_last(static_cast<std::size_t>(length * kProbeWidth), 0.0F);
  std::fill(of_last.end() - kProbeWidth, of_last.end(), 1.0F);
  gradient_target(y.values, c.region).tensor.upload(of_last);
  bound.tape().backward();
  const auto gradient = x.values.gradient().to_vector<float>();
  const auto first = std::find_if(gradient.begin(), gradient.end(), [](float g) { return g != 0; });
  check(first != gradient.end(), "study: nothing reaches the output of {}", kind.name);
  return length - 1 - (first - gradient.begin()) / kProbeWidth;
}

LayerStructure layer_structure(const LayerKind& kind, std::int64_t length) {
  const auto backend = make_backend("cpu", {.threads = 1});
  LayerStructure structure{.length = length};
  structure.half_calls = forward_calls(kind, length / 2, *backend);
  structure.calls = forward_calls(kind, length, *backend);
  std::int64_t depth = 0;
  for (std::int64_t reached = 0; reached < length - 1;) {
    const std::int64_t reach = layer_reach(kind, depth, length);
    check(reach > 0 || depth > 0, "study: {} passes nothing from token to token", kind.name);
    if (reach == 0) {  // its dilation is longer than the sentence
      depth = 0;
      continue;
    }
    reached += reach;
    ++structure.layers;
    ++depth;
  }
  return structure;
}

}  // namespace yona
