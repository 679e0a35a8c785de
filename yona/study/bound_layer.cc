#include "yona/study/bound_layer.h"

#include <array>
#include <vector>

#include "yona/base/random.h"

namespace yona {

BoundLayer::BoundLayer(const LayerKind& kind, const LayerPlace& place, Backend& backend,
                       std::uint64_t seed)
    : seed_(seed),
      width_(place.width),
      layer_(kind.make(place)),
      parameters_(*layer_, backend,
                  place.use == LayerUse::training ? Gradients::yes : Gradients::no),
      region_(backend),
      c_{.region = region_, .tape = place.use == LayerUse::training ? &tape_ : nullptr} {
  layer_->name_streams();
  parameters_.initialise(seed);
  if (place.use == LayerUse::training) {
    parameters_.zero_gradients();
  }
}

Ragged BoundLayer::sentence(std::int64_t length) {
  std::vector<float> values(static_cast<std::size_t>(length * width_));
  RandomSequence random(seed_);
  for (float& value : values) {
    value = static_cast<float>(random.uniform()) - 0.5F;
  }
  const Tensor x(region_, DType::f32, Shape{length, width_});
  x.upload(values);
  x.set_requires_gradient();
  const std::array<std::int64_t, 2> offsets{0, length};
  return {x, make_layout(offsets, {}, region_)};
}

}  // namespace yona
