#include "yona/train/bench_attention.h"

#include <cmath>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/base/random.h"
#include "yona/tensor/ops/attention.h"
#include "yona/train/bench_timing.h"

namespace yona {

namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;

void draw(const Tensor& tensor, std::uint64_t key) {
  std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
  RandomSequence random(key);
  for (float& value : values) {
    value = static_cast<float>(random.uniform()) - 0.5F;
  }
  tensor.upload(values);
}

struct Times {
  double forward = 0, backward = 0;
};

// Q, K and V are columns of one matrix, as the fused projection leaves them.
class SelfAttention {
 public:
  SelfAttention(const AttentionBenchOptions& options, Backend& backend)
      : options_(options), region_(backend), c_{.region = region_, .tape = &tape_} {
    const std::int64_t offsets[] = {0, options.length};
    layout_ = make_layout(offsets, {}, region_);
    packed_ = c_.empty(DType::f32, Shape{options.length, 3 * columns()});
    draw(packed_, 1);
    packed_.set_requires_gradient();
  }

  Times step() {
    const AttentionOptions attention_options{
        .heads = options_.heads,
        .d_k = options_.width,
        .d_v = options_.width,
        .scale = 1.0F / std::sqrt(static_cast<float>(options_.width)),
        .mask = options_.causal ? Mask::causal : Mask::none,
        .prefix = {},
        .bias = {},
        .dropout = {},
        .pattern = window_pattern()};
    Times times;
    Tensor out;
    times.forward = seconds_of([&] {
      out = attention(packed_.columns(0, columns()), packed_.columns(columns(), columns()),
                      packed_.columns(2 * columns(), columns()), layout_, layout_,
                      attention_options, c_);
    });
    c_.kernels().fill({.y = gradient_target(out, region_).view(), .value = 1.0F}, c_.exec());
    times.backward = seconds_of([&] { tape_.backward(); });
    return times;
  }

  std::int64_t peak_bytes() const { return region_.peak(); }

 private:
  std::int64_t columns() const { return options_.heads * options_.width; }
  AttentionPattern window_pattern() const {
    AttentionPattern pattern;
    if (options_.window > 0) {
      pattern.before = options_.causal ? options_.window - 1 : options_.window / 2;
      pattern.after = options_.causal ? 0 : options_.window / 2;
    }
    return pattern;
  }

  const AttentionBenchOptions& options_;
  Region region_;
  Tape tape_;
  Context c_;
  std::shared_ptr<const Layout> layout_;
  Tensor packed_;
};

}  // namespace

Json bench_attention(const AttentionBenchOptions& options) {
  constexpr double kLong = 2.0;  // seconds: such a step needs no other to warm up for it
  const auto backend = make_backend("cpu", {.threads = options.threads});
  const std::int64_t before = resident_memory();
  const bool knows_peak = forget_peak_memory() && before > 0;
  SelfAttention sentence(options, *backend);
  std::vector<double> forward;
  std::vector<double> backward;
  for (std::int64_t step = 0; step <= options.steps; ++step) {
    const Times times = sentence.step();
    const bool is_long = times.forward + times.backward > kLong;
    if (step > 0 || is_long) {
      forward.push_back(times.forward);
      backward.push_back(times.backward);
    }
    if (is_long) {
      break;
    }
  }
  const bool has_window = options.window > 0 && options.window < options.length;
  const double seen = has_window
                          ? static_cast<double>(options.window)
                          : static_cast<double>(options.length) * (options.causal ? 0.5 : 1.0);
  const double products = 7.0 * 2.0 * static_cast<double>(options.length) * seen *
                          static_cast<double>(options.heads * options.width);
  const double resident = static_cast<double>(peak_memory() - before) / kMegabyte;
  return {{"engine", "yona"},
          {"length", options.length},
          {"heads", options.heads},
          {"width", options.width},
          {"causal", options.causal},
          {"window", options.window},
          {"threads", backend->exec().pool->threads()},
          {"ms_forward", median(forward) * 1e3},
          {"ms_backward", median(backward) * 1e3},
          {"gflops", products / (median(forward) + median(backward)) / 1e9},
          {"step_mb", static_cast<double>(sentence.peak_bytes()) / kMegabyte},
          {"resident_mb", knows_peak ? Json(resident) : Json(nullptr)}};
}

}  // namespace yona
