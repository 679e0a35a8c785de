#include "yona/train/optimiser.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "yona/base/error.h"
#include "yona/tensor/operand.h"
#include "yona/train/buffer_exchange.h"

namespace yona {

namespace {

bool wants_copy(const Backend& backend, const TrainConfig& config) {
  return config.precision == Precision::bf16 && !rounds_operands(backend, true);
}

// A rank of a small model may own nothing.
std::int64_t room_for(std::int64_t owned) { return std::max<std::int64_t>(owned, 1); }

std::int64_t region_bytes(std::int64_t owned, bool with_average) {
  const std::int64_t buffer = room_for(owned) * static_cast<std::int64_t>(sizeof(float)) + 256;
  return buffer * (with_average ? 3 : 2) + 1024;
}

std::int64_t copy_bytes(std::int64_t count) { return count * 2 + 512; }

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

Optimiser::Optimiser(Parameters& parameters, Backend& backend, const TrainConfig& config,
                     Communicator* ranks)
    : parameters_(parameters),
      config_(config),
      ranks_(ranks),
      shards_(parameters.count(), ranks != nullptr ? ranks->rank() : 0,
              ranks != nullptr ? ranks->size() : 1),
      region_(backend, region_bytes(shards_.owned(), config.ema > 0) +
                           copy_bytes(wants_copy(backend, config) ? parameters.count() : 0)),
      m_(region_, DType::f32, Shape{1, room_for(shards_.owned())}),
      v_(region_, DType::f32, Shape{1, room_for(shards_.owned())}),
      squared_norm_(region_, DType::f64, Shape{1}),
      readbacks_(backend) {
  for (const Tensor& moment : {m_, v_}) {
    backend.kernels().fill({.y = moment.view()}, backend.exec());
  }
  if (config_.ema > 0) {
    average_ = Tensor(region_, DType::f32, Shape{1, room_for(shards_.owned())});
  }
  find_trained_ranges();
  if (Storage& weights = *parameters_.weights().storage(); wants_copy(backend, config)) {
    rounded_ = Tensor(region_, DType::bf16, Shape{1, parameters.count()});
    weights.rounded = rounded_.storage();
    weights.rounded_type = DType::bf16;
    weights.rounded_stale = true;  // until it is read
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
    check(entry.trained || ranks_ == nullptr || ranks_->size() == 1,
          "train: {} is of a rank's own tokens, and {} ranks would each have another; batch "
          "normalisation is trained by one process alone",
          entry.name, ranks_ != nullptr ? ranks_->size() : 1);
    const bool frozen = !entry.trained || std::any_of(config_.freeze.begin(), config_.freeze.end(),
                                                      [&](const std::string& pattern) {
                                                        return matches(pattern, entry.name);
                                                      });
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
  for (const Range& range : frozen_) {
    frozen_count_ += range.end - range.begin;
  }
  trained_ = in_shard(trained_);
  frozen_ = in_shard(frozen_);
}

std::vector<Optimiser::Range> Optimiser::in_shard(const std::vector<Range>& ranges) const {
  std::vector<Range> inside;
  for (const Shards::Slice& slice : shards_.own()) {
    for (const Range& range : ranges) {
      const std::int64_t begin = std::max(range.begin, slice.begin);
      const std::int64_t end = std::min(range.end, slice.end);
      if (begin < end) {
        inside.push_back({begin, end, range.decay, slice.packed + begin - slice.begin});
      }
    }
  }
  return inside;
}

void Optimiser::start_average() {
  if (!average_) {
    return;
  }
  for (const Shards::Slice& slice : shards_.own()) {
    copy(parameters_.weights().columns(slice.begin, slice.count()),
         average_.columns(slice.packed, slice.count()));
  }
}

// What is not trained keeps its value: a norm's running statistics are averages already.
void Optimiser::use_average() {
  for (const Range& at : trained_) {
    copy(average_.columns(at.packed, at.end - at.begin),
         parameters_.weights().columns(at.begin, at.end - at.begin));
  }
  share(parameters_.weights());
  parameters_.weights().storage()->rounded_stale = true;
}

void Optimiser::share(const Tensor& flat) {
  if (ranks_ != nullptr) {
    share_slices(*ranks_, region_.backend(), shards_, flat);
  }
}

WeightsInUse::WeightsInUse(Parameters& parameters, Optimiser& optimiser)
    : parameters_(parameters), swapped_(static_cast<bool>(optimiser.average())) {
  if (swapped_) {
    copy(parameters_.weights(), parameters_.gradients());
    optimiser.use_average();
  }
}

WeightsInUse::~WeightsInUse() {
  if (swapped_) {
    copy(parameters_.gradients(), parameters_.weights());
    parameters_.weights().storage()->rounded_stale = true;
  }
}

std::vector<std::pair<std::string, Tensor>> Optimiser::states() const {
  std::vector<std::pair<std::string, Tensor>> all;
  for (const auto& [name, tensor] :
       {std::pair("m", m_), std::pair("v", v_), std::pair("average", average_)}) {
    if (tensor) {
      all.emplace_back(name, tensor.columns(0, shards_.owned()));
    }
  }
  return all;
}

std::vector<OptimiserState> Optimiser::collect() const {
  std::vector<OptimiserState> all;
  for (const auto& [name, tensor] : states()) {
    std::vector<float> own = tensor.to_vector<float>();
    if (ranks_ == nullptr) {
      all.push_back({name, std::move(own)});
    } else if (std::vector<float> values = collect_slices(*ranks_, shards_, own);
               ranks_->rank() == 0) {
      all.push_back({name, std::move(values)});
    }
  }
  return all;
}

void Optimiser::compute_norm(const Tensor& gradients) {
  Backend& backend = region_.backend();
  if (ranks_ == nullptr) {
    backend.kernels().squared_norm({.x = gradients.view(), .out = squared_norm_.data<double>()},
                                   backend.exec());
  } else if (backend.on_host()) {
    compute_norm_by_granules(gradients);
  } else {
    compute_shared_norm(gradients);
  }
}

// Sums of granules, which a CPU's kernel adds in their order: the same bits as those of one rank.
void Optimiser::compute_norm_by_granules(const Tensor& gradients) {
  Backend& backend = region_.backend();
  const auto granules = [](std::int64_t elements) {
    return (elements + Shards::kGranule - 1) / Shards::kGranule;
  };
  std::int64_t most = 0;
  for (int rank = 0; rank < shards_.size(); ++rank) {
    most = std::max(most, granules(Shards(shards_.count(), rank, shards_.size()).owned()));
  }
  std::vector<double> own(static_cast<std::size_t>(most));
  backend.exec().pool->run(granules(shards_.owned()), [&](std::int64_t granule) {
    const std::int64_t begin = granule * Shards::kGranule;
    const Tensor part =
        gradients.columns(begin, std::min(Shards::kGranule, shards_.owned() - begin));
    backend.kernels().squared_norm(
        {.x = part.view(), .out = &own[static_cast<std::size_t>(granule)]}, backend.exec());
  });
  std::vector<double> all(own.size() * static_cast<std::size_t>(shards_.size()));
  ranks_->all_gather(own.data(), all.data(),
                     static_cast<std::int64_t>(own.size() * sizeof(double)));
  std::vector<double> in_order(static_cast<std::size_t>(shards_.granules()));
  for (int rank = 0; rank < shards_.size(); ++rank) {
    const double* next = all.data() + static_cast<std::size_t>(rank) * own.size();
    for (const Shards::Slice& slice : shards_.slices(rank)) {
      const std::int64_t count = granules(slice.count());
      std::copy_n(next, count, in_order.begin() + slice.begin / Shards::kGranule);
      next += count;
    }
  }
  *squared_norm_.data<double>() = std::accumulate(in_order.begin(), in_order.end(), 0.0);
}

// On other devices one sum for each rank, added in their order.
void Optimiser::compute_shared_norm(const Tensor& gradients) {
  Backend& backend = region_.backend();
  backend.kernels().squared_norm({.x = gradients.view(), .out = squared_norm_.data<double>()},
                                 backend.exec());
  double own = 0;
  squared_norm_.download_bytes(&own);
  std::vector<double> all(static_cast<std::size_t>(shards_.size()));
  ranks_->all_gather(&own, all.data(), sizeof(double));
  const double sum = std::accumulate(all.begin(), all.end(), 0.0);
  squared_norm_.upload_bytes(&sum, sizeof(double));
  backend.synchronize();  // before `sum` is gone
}

void Optimiser::step(std::int64_t update, double rate, const Tensor& given_gradients) {
  Backend& backend = region_.backend();
  const auto view_of = [](const Tensor& flat, std::int64_t begin, const Range& at) {
    return flat ? flat.columns(begin, at.end - at.begin).view() : View{};
  };
  const Tensor gradients = given_gradients ? given_gradients : parameters_.gradients();
  for (const Range& at : frozen_) {  // they count in no norm
    backend.kernels().fill({.y = view_of(gradients, at.packed, at)}, backend.exec());
  }
  compute_norm(gradients);
  const auto t = static_cast<double>(update);
  // A copy that is up to date stays so, frozen parameters included. One that is not is left to whom
  // needs it next; so is that of weights which come from other ranks.
  Storage& weights = *parameters_.weights().storage();
  const bool writes_copy = keeps_copy() && !weights.rounded_stale && ranks_ == nullptr;
  weights.rounded_stale = !writes_copy;
  for (const Range& at : trained_) {
    backend.kernels().adam({.weights = view_of(parameters_.weights(), at.begin, at),
                            .gradients = view_of(gradients, at.packed, at),
                            .m = view_of(m_, at.packed, at),
                            .v = view_of(v_, at.packed, at),
                            .average = view_of(average_, at.packed, at),
                            .rounded = writes_copy ? view_of(rounded_, at.begin, at) : View{},
                            .squared_norm = squared_norm_.data<double>(),
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
  share(parameters_.weights());
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
