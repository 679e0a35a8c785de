#include "yona/study/layer_costs.h"

#include <functional>
#include <vector>

#include "yona/base/error.h"
#include "yona/base/stop.h"
#include "yona/base/timing.h"
#include "yona/study/bound_layer.h"
#include "yona/tensor/layer_cache.h"

namespace yona {

namespace {

constexpr std::int64_t kTimedDepth = 2;  // a layer in the middle of a stack: dilations are not 1

// The seconds of a step: of the first one where it is slow, else the median of some after it.
double step_seconds(const std::function<void()>& step, const std::atomic<bool>* stop) {
  constexpr double kSlow = 1.0;
  constexpr int kRepeats = 7;
  const double first = seconds_of(step);
  std::vector<double> times;
  for (int repeat = 0; first < kSlow && repeat < kRepeats; ++repeat) {
    check_stop(stop, "study");
    times.push_back(seconds_of(step));
  }
  return times.empty() ? first : median(times);
}

void training_step(BoundLayer& bound, const Ragged& x) {
  Context& c = bound.context();
  const Ragged y = bound.layer()(x, c);
  c.kernels().fill({.y = gradient_target(y.values, c.region).view(), .value = 1.0F}, c.exec());
  bound.tape().backward();
  c.backend().synchronize();
}

// A cache of one row that has `length` tokens already: the same step can be taken again and again.
class FullCache : public LayerCache {
 public:
  FullCache(std::int64_t length, Region& region)
      : length_(length),
        counts_(region, DType::i32, Shape{1}),
        first_(region, DType::i64, Shape{1}) {
    counts_.upload(std::vector<std::int32_t>{static_cast<std::int32_t>(length)});
    first_.upload(std::vector<std::int64_t>{0});
  }

  void begin_step() { next_state_ = next_kept_ = 0; }

  CachedKeys append(const Tensor& keys_and_values, Context& c) override {
    if (!keys_) {
      keys_ = c.zeros(keys_and_values.dtype(), Shape{length_, keys_and_values.cols()});
    }
    const Tensor newest = keys_.row_range(length_ - 1, 1);
    c.kernels().add({.a = keys_and_values.view(), .y = newest.view()}, c.exec());
    return {.keys_and_values = keys_, .counts = counts_, .first = first_};
  }
  CachedKeys memory(const Layout& /*layout*/, const std::function<Tensor()>& /*make*/,
                    Context& /*c*/) override {
    fail("study: a layer of Table 1 has no memory");
  }
  Tensor state(const std::function<Tensor()>& make, Context& /*c*/) override {
    if (next_state_ == states_.size()) {
      states_.push_back(make());
    }
    return states_[next_state_++];
  }
  void keep(const Tensor& state) override { states_[next_kept_++] = state; }

 private:
  std::int64_t length_;
  Tensor counts_, first_, keys_;
  std::vector<Tensor> states_;
  std::size_t next_state_ = 0, next_kept_ = 0;
};

double decoding_seconds(const LayerKind& kind, std::int64_t length, std::int64_t width,
                        const StudySetting& setting) {
  BoundLayer bound(kind, {.width = width, .use = LayerUse::decoding, .depth = kTimedDepth},
                   setting.backend, setting.seed);
  const Ragged token{bound.sentence(1).values, make_step_layout(1, length - 1, bound.region())};
  FullCache cache(length, bound.region());
  Context& c = bound.context();
  c.cache = &cache;
  const auto step = [&] {
    cache.begin_step();
    bound.layer()(token, c);
    c.backend().synchronize();
  };
  return step_seconds(step, setting.stop);
}

}  // namespace

LayerCosts layer_costs(const LayerKind& kind, std::int64_t length, std::int64_t width,
                       const StudySetting& setting) {
  BoundLayer bound(kind, {.width = width, .depth = kTimedDepth}, setting.backend, setting.seed);
  const Ragged x = bound.sentence(length);
  LayerCosts costs;
  costs.training_ms = step_seconds([&] { training_step(bound, x); }, setting.stop) * 1e3;
  costs.training_mb = static_cast<double>(bound.region().peak()) / (1024.0 * 1024.0);
  costs.decoding_us = decoding_seconds(kind, length, width, setting) * 1e6;
  return costs;
}

}  // namespace yona
