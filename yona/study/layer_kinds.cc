#include "yona/study/layer_kinds.h"

#include <algorithm>
#include <array>

#include "yona/nn/attention/multi_head.h"
#include "yona/nn/convolution.h"
#include "yona/nn/recurrent.h"

namespace yona {

namespace {

class AttentionLayer : public ComparedLayer {
 public:
  AttentionLayer(const LayerPlace& place, const AttentionSpec& spec)
      : mask_(place.use == LayerUse::decoding ? Mask::causal : Mask::none),
        attention_(place.width, head_shape(place.width), spec) {
    add("attention", attention_);
  }
  Ragged operator()(const Ragged& x, Context& c) const override {
    return attention_(x, mask_, c).formed(c);
  }

 private:
  static HeadShape head_shape(std::int64_t width) {
    const std::int64_t heads = std::max<std::int64_t>(1, width / 64);
    return {heads, width / heads, width / heads};
  }

  Mask mask_;
  MultiHeadAttention attention_;
};

class RecurrentLayer : public ComparedLayer {
 public:
  explicit RecurrentLayer(const LayerPlace& place)
      : width_(place.width), recurrent_(place.width, place.width, Cell::lstm) {
    add("recurrent", recurrent_);
  }
  Ragged operator()(const Ragged& x, Context& c) const override {
    if (c.cache != nullptr) {
      const std::int64_t rows = x.values.rows();
      const auto zero = [&] { return c.zeros(x.values.dtype(), Shape{rows, width_}); };
      return x.with(recurrent_.step(x.values, zero, rows, c));
    }
    const TimeOrder order = time_order(*x.layout, Direction::forward, c.region);
    return x.with(recurrent_(x.values, order, {}, c));
  }

 private:
  std::int64_t width_;
  Recurrent recurrent_;
};

class ConvolutionLayer : public ComparedLayer {
 public:
  ConvolutionLayer(const LayerPlace& place, std::int64_t dilation)
      : convolution_(place.width, place.width,
                     {.width = kKernelWidth,
                      .dilation = dilation,
                      .causal = place.use == LayerUse::decoding}) {
    add("convolution", convolution_);
  }
  Ragged operator()(const Ragged& x, Context& c) const override {
    return convolution_(x, x.layout->sentences, c);
  }

 private:
  Convolution convolution_;
};

// k^depth, so that the layers of a stack see k times as far each.
std::int64_t dilation_at(std::int64_t depth) {
  std::int64_t dilation = 1;
  for (std::int64_t i = 0; i < depth; ++i) {
    dilation *= kKernelWidth;
  }
  return dilation;
}

using LayerPointer = std::unique_ptr<ComparedLayer>;

LayerPointer make_exact(const LayerPlace& place) {
  return std::make_unique<AttentionLayer>(place, AttentionSpec{});
}
LayerPointer make_restricted(const LayerPlace& place) {
  return std::make_unique<AttentionLayer>(
      place, AttentionSpec{.kind = AttentionKind::window, .sizes = {.window = kRestrictedKeys}});
}
LayerPointer make_recurrence(const LayerPlace& place) {
  return std::make_unique<RecurrentLayer>(place);
}
LayerPointer make_convolution(const LayerPlace& place) {
  return std::make_unique<ConvolutionLayer>(place, 1);
}
LayerPointer make_dilated_convolution(const LayerPlace& place) {
  return std::make_unique<ConvolutionLayer>(place, dilation_at(place.depth));
}

constexpr std::array<LayerKind, 5> kLayerKinds{
    {{kSelfAttention, "O(n²·d)", "O(1)", "O(1)", make_exact},
     {kRestrictedAttention, "O(r·n·d)", "O(1)", "O(n/r)", make_restricted},
     {kRecurrence, "O(n·d²)", "O(n)", "O(n)", make_recurrence},
     {"convolution", "O(k·n·d²)", "O(1)", "O(n/k)", make_convolution},
     {"dilated convolution", "O(k·n·d²)", "O(1)", "O(log_k(n))", make_dilated_convolution}}};

}  // namespace

std::span<const LayerKind> layer_kinds() { return kLayerKinds; }

}  // namespace yona
