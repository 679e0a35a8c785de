#include "yona/train/optimiser.h"

#include <algorithm>
#include <cmath>

#include "yona/tensor/operand.h"

namespace yona {

namespace {

bool wants_copy(const Backend& backend, const TrainConfig& config) {
  return config.precision == Precision::bf16 && !rounds_operands(backend);
}

std::int64_t region_bytes(std::int64_t count, bool with_average, bool with_copy) {
  const std::int64_t buffer = count * static_cast<std::int64_t>(sizeof(float)) + 256;
  return buffer * (with_average ? 3 : 2) + (with_copy ? buffer / 2 + 256 : 0) + 1024;
}

void copy(const Tensor& from, const Tensor& to) {
  Backend& backend = to.storage()->region->backend();
  backend.kernels().add({.a = from.view(), .b = {}, .y = to.view()}, backend.exec());
}

}  // namespace

bool matches(const std::string& pattern, const std::string& name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string::npos;  // the last '*' seen, and where its text began
  std::size_t star_text = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string::npos;
}

Optimiser::Optimiser(Parameters& parameters, Backend& backend, const TrainConfig& config)
    : parameters_(parameters),
      config_(config),
      region_(backend,
              region_bytes(parameters.count(), config.ema > 0, wants_copy(backend, config))),
      m_(region_, DType::f32, Shape{1, parameters.count()}),
      v_(region_, DType::f32, Shape{1, parameters.count()}),
      squared_norm_(region_, DType::f64, Shape{1}),
      readbacks_(backend) {
  for (const Tensor& moment : {m_, v_}) {
    backend.kernels().fill({.y = moment.view()}, backend.exec());
  }
  if (config_.ema > 0) {
    average_ = Tensor(region_, DType::f32, Shape{1, parameters.count()});
  }
  find_trained_ranges();
  if (Storage& weights = *parameters_.weights().storage(); wants_copy(backend, config)) {
    rounded_ = Tensor(region_, DType::bf16, Shape{1, parameters.count()});
    weights.rounded = rounded_.storage();
    weights.rounded_type = DType::bf16;
    weights.rounded_stale = true;  // until somebody needs it
  }
}

Optimiser::~Optimiser() {
  if (keeps_copy()) {
    parameters_.weights().storage()->rounded = StoragePtr();
  }
}

bool Optimiser::keeps_copy() const {
  return rounded_ && parameters_.weights().storage()->rounded.get() == rounded_.storage().get();
}

double Optimiser::decay_of(const Tensor& parameter) const {
  const bool decays = config_.weight_decay_on == DecayOn::all || parameter.shape().rank() > 1;
  return decays ? config_.weight_decay : 0.0;
}

// Neighbours that are treated alike are one range: one, where there is no weight decay.
void Optimiser::find_trained_ranges() {
  for (const std::string& pattern : config_.freeze) {
    check(std::any_of(parameters_.entries().begin(), parameters_.entries().end(),
                      [&](const Parameters::Entry& entry) { return matches(pattern, entry.name); }),
          "train.freeze: '{}' matches no parameter; `yona info` lists their names", pattern);
  }
  for (const Parameters::Entry& entry : parameters_.entries()) {
    const bool frozen =
        std::any_of(config_.freeze.begin(), config_.freeze.end(),
                    [&](const std::string& pattern) { return matches(pattern, entry.name); });
    auto& ranges = frozen ? frozen_ : trained_;
    const Range range{entry.offset, entry.offset + entry.value.elements(),
                      frozen ? 0.0 : decay_of(entry.value)};
    if (!ranges.empty() && ranges.back().end == range.begin && ranges.back().decay == range.decay) {
      ranges.back().end = range.end;
    } else {
      ranges.push_back(range);
    }
  }
  check(!trained_.empty(), "train.freeze: every parameter is frozen; there is nothing to train");
}

void Optimiser::start_average() {
  if (average_) {
    copy(parameters_.weights(), average_);
  }
}

std::int64_t Optimiser::frozen_count() const {
  std::int64_t count = 0;
  for (const Range& range : frozen_) {
    count += range.end - range.begin;
  }
  return count;
}

WeightsInUse::WeightsInUse(Parameters& parameters, const Optimiser& optimiser)
    : parameters_(parameters), swapped_(static_cast<bool>(optimiser.average())) {
  if (swapped_) {
    copy(parameters_.weights(), parameters_.gradients());
    copy(optimiser.average(), parameters_.weights());
    parameters_.weights().storage()->rounded_stale = true;
  }
}

WeightsInUse::~WeightsInUse() {
  if (swapped_) {
    copy(parameters_.gradients(), parameters_.weights());
    parameters_.weights().storage()->rounded_stale = true;
  }
}

void Optimiser::step(std::int64_t update, double rate) {
  Backend& backend = region_.backend();
  const auto range = [](const Tensor& flat, const Range& at) {
    return flat ? flat.columns(at.begin, at.end - at.begin).view() : View{};
  };
  const Tensor gradients = parameters_.gradients();
  for (const Range& at : frozen_) {  // they count in no norm
    backend.kernels().fill({.y = range(gradients, at)}, backend.exec());
  }
  auto* norm = squared_norm_.data<double>();
  backend.kernels().squared_norm({.x = gradients.view(), .out = norm}, backend.exec());
  const auto t = static_cast<double>(update);
  // A copy that is up to date stays so, frozen parameters included. One that is not is left to whom
  // needs it next.
  Storage& weights = *parameters_.weights().storage();
  const bool writes_copy = keeps_copy() && !weights.rounded_stale;
  weights.rounded_stale = !writes_copy;
  for (const Range& at : trained_) {
    backend.kernels().adam({.weights = range(parameters_.weights(), at),
                            .gradients = range(gradients, at),
                            .m = range(m_, at),
                            .v = range(v_, at),
                            .average = range(average_, at),
                            .rounded = writes_copy ? range(rounded_, at) : View{},
                            .squared_norm = norm,
                            .clip_norm = static_cast<float>(config_.clip_norm),
                            .rate = static_cast<float>(rate),
                            .beta1 = static_cast<float>(config_.beta1),
                            .beta2 = static_cast<float>(config_.beta2),
                            .epsilon = static_cast<float>(config_.epsilon),
                            .decay = static_cast<float>(at.decay),
                            .ema = static_cast<float>(config_.ema),
                            .correction1 = static_cast<float>(1.0 - std::pow(config_.beta1, t)),
                            .correction2 = static_cast<float>(1.0 - std::pow(config_.beta2, t))},
                           backend.exec());
  }
}

std::shared_ptr<Readback> Optimiser::read_squared_norm() {
  return readbacks_.start(squared_norm_.data<double>(), sizeof(double));
}

double Optimiser::gradient_norm() const {
  double squared = 0;
  squared_norm_.download_bytes(&squared);
  return std::sqrt(squared);
}

}  // namespace yona
