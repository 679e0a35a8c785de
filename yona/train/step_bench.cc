#include "yona/train/step_bench.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "yona/backend/backend.h"
#include "yona/parallel/collectives.h"
#include "yona/train/bench_timing.h"
#include "yona/train/buffer_exchange.h"
#include "yona/train/gradient_sum.h"
#include "yona/train/learner.h"
#include "yona/train/optimiser.h"

namespace yona {

namespace {

constexpr double kGigabyte = 1024.0 * 1024.0 * 1024.0;

// Of the device: all that the process holds there. Of the CPU: the process' peak.
double gigabytes_in_use(const Backend& backend, std::int64_t free_before) {
  const std::int64_t bytes = backend.on_host() ? static_cast<std::int64_t>(peak_memory())
                                               : free_before - backend.memory_bytes();
  return static_cast<double>(bytes) / kGigabyte;
}

// A model in training.
class TrainingSteps {
 public:
  TrainingSteps(StepBenchWork work, const StepBenchOptions& options)
      : backend_(
            make_backend(options.device, {.threads = options.threads, .measure = options.measure})),
        free_before_(backend_->memory_bytes()),
        work_(std::move(work)),
        parameters_(work_.objective->model(), *backend_, Gradients::yes),
        optimiser_(parameters_, *backend_, train_config(options), options.ranks),
        ranks_(options.ranks),
        sum_(parameters_, *backend_, ranks_ != nullptr ? ranks_->size() : 1, ranks_,
             options.exchange),
        learner_(*work_.objective, parameters_, *backend_, options.precision) {
    parameters_.initialise(1);
  }

  Backend& backend() { return *backend_; }
  const Batch& next_batch() const {
    return work_.batches[static_cast<std::size_t>(update_) % work_.batches.size()];
  }
  double next_tokens() const { return work_.tokens(next_batch()); }
  double next_flops() const { return 6.0 * work_.multiply_adds(next_batch()); }
  void run() {
    pass();
    sum_.add(0);
    optimiser_.step(++update_, 1e-4, sum_.total());
    backend_->synchronize();
  }
  // Are gradients exchanged during the backward pass?
  void set_overlap(bool overlap) {
    if (overlap && sum_.overlaps()) {
      learner_.when_final([this](std::int64_t final_from) { sum_.advance(final_from); });
    } else {
      learner_.when_final(nullptr);
    }
  }
  // A step of several ranks in parts, each begun by all together: seconds of what a rank computes
  // and of what it exchanges.
  struct Parts {
    double compute = 0;
    double exchange = 0;
  };
  Parts run_in_parts() {
    const double passes = seconds_together([&] { pass(); });
    const double gradients = seconds_together([&] { sum_.add(0); });
    const double update = seconds_together([&] { optimiser_.step(++update_, 1e-4, sum_.total()); });
    const double weights = seconds_together(
        [&] { share_slices(*ranks_, *backend_, optimiser_.shards(), parameters_.weights()); });
    return {passes + std::max(update - weights, 0.0), gradients + weights};
  }
  double loss() const {
    const LossSums sums = loss_->read();
    return sums.loss / static_cast<double>(sums.rows);
  }
  double gigabytes() const { return gigabytes_in_use(*backend_, free_before_); }
  std::int64_t parameters() const { return parameters_.count(); }
  double step_gigabytes() const { return static_cast<double>(learner_.peak_bytes()) / kGigabyte; }

 private:
  void pass() {
    const Batch& batch = next_batch();
    parameters_.zero_gradients();
    loss_ = learner_.accumulate(batch, {.update = static_cast<std::uint64_t>(update_)},
                                work_.objective->weight(batch));
  }
  template <class Function>
  double seconds_together(const Function& function) {
    barrier(*ranks_);
    return seconds_of([&] {
      function();
      backend_->synchronize();
    });
  }
  static TrainConfig train_config(const StepBenchOptions& options) {
    TrainConfig config;
    config.precision = options.precision;
    return config;
  }

  std::unique_ptr<Backend> backend_;
  std::int64_t free_before_;
  StepBenchWork work_;
  Parameters parameters_;
  Optimiser optimiser_;
  Communicator* ranks_;
  GradientSum sum_;
  Learner learner_;
  std::optional<PendingLoss> loss_;
  std::int64_t update_ = 0;
};

// The part of a step that a kernel belongs to, unless the step names another.
std::string_view part_of(std::string_view kernel) {
  if (kernel == "matmul" || kernel == "weight_gradients" || kernel == "relu_gradient_product" ||
      kernel == "gelu_gradient_product") {
    return "products";
  }
  if (kernel.find("attention") != std::string_view::npos) {
    return "attention";
  }
  if (kernel.starts_with("residual_norm") || kernel.starts_with("rms_norm") ||
      kernel == "dropout") {
    return "norms";
  }
  const bool of_weights = kernel == "adam" || kernel == "squared_norm" || kernel == "round_bf16";
  return of_weights ? "optimiser" : "rest";
}

// Milliseconds of a step, by kernel and by part.
void add_profile(const Profile& profile, std::int64_t steps, Json& result) {
  Json kernels = Json::object();
  Json parts = Json::object();
  const auto add = [&](std::string_view part, double seconds) {
    const double before = parts.value(std::string(part), 0.0);
    parts[std::string(part)] = before + seconds * 1e3 / static_cast<double>(steps);
  };
  for (const auto& [name, total] : profile.seconds) {
    kernels[std::string(name)] = total * 1e3 / static_cast<double>(steps);
    add(part_of(name), total);
  }
  for (const auto& [place, total] : profile.parts) {
    add(place.first, total);
    add(part_of(place.second), -total);
  }
  result["ms_by_part"] = parts;
  result["ms_by_kernel"] = kernels;
}

// For several ranks: the parts of a step that takes `step` seconds, which are computation and
// exchange, and how much of the exchange was hidden.
void add_parts(TrainingSteps& steps, std::int64_t count, double step, Json& result) {
  std::vector<double> compute;
  std::vector<double> exchange;
  std::vector<double> one_by_one;
  steps.set_overlap(false);
  for (std::int64_t i = 0; i < count; ++i) {
    one_by_one.push_back(seconds_of([&] { steps.run(); }));
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const TrainingSteps::Parts parts = steps.run_in_parts();
    compute.push_back(parts.compute);
    exchange.push_back(parts.exchange);
  }
  result["ms_without_overlap"] = median(one_by_one) * 1e3;
  result["compute_ms"] = median(compute) * 1e3;
  result["exchange_ms"] = median(exchange) * 1e3;
  const double hidden = median(compute) + median(exchange) - step;
  result["overlap"] = std::clamp(hidden / median(exchange), 0.0, 1.0);
  result["efficiency"] = std::min(median(compute) / step, 1.0);
}

}  // namespace

StepBenchFigures bench_steps(StepBenchWork work, const StepBenchOptions& options) {
  TrainingSteps steps(std::move(work), options);
  Backend& backend = steps.backend();
  steps.set_overlap(true);
  for (std::int64_t i = 0; i < options.warmup; ++i) {
    steps.run();
  }
  std::vector<double> seconds;  // of each step; and tokens and operations a second of it
  std::vector<double> rates;
  std::vector<double> flops;
  for (std::int64_t i = 0; i < options.steps; ++i) {
    const double tokens = steps.next_tokens();
    const double operations = steps.next_flops();
    const double took = seconds_of([&] { steps.run(); });
    seconds.push_back(took);
    rates.push_back(tokens / took);
    flops.push_back(operations / took);
  }
  Json rest{{"dtype", options.precision == Precision::bf16 ? "bfloat16" : "float32"},
            {"threads", backend.exec().pool != nullptr ? backend.exec().pool->threads() : 0},
            {"parameters", steps.parameters()},
            {"mem_gb", steps.gigabytes()},
            {"step_gb", steps.step_gigabytes()},
            {"loss", steps.loss()}};
  const int ranks = options.ranks != nullptr ? options.ranks->size() : 1;
  if (options.ranks != nullptr) {
    rest["ranks"] = ranks;
    add_parts(steps, options.steps, median(seconds), rest);
  }
  if (options.profile) {  // steps of their own: measuring takes time
    const std::unique_ptr<Profile> profile = backend.make_profile();
    backend.exec().profile = profile.get();
    for (std::int64_t i = 0; i < options.steps; ++i) {
      steps.run();
    }
    backend.exec().profile = nullptr;
    profile->finish();
    add_profile(*profile, options.steps, rest);
  }
  return {.ms = median(seconds) * 1e3,
          .tokens_per_second = median(rates) * ranks,
          .tflops = median(flops) / 1e12,
          .rest = rest};
}

}  // namespace yona
