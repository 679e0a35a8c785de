#include "yona/train/step_bench.h"

#include <optional>
#include <string_view>
#include <utility>

#include "yona/backend/backend.h"
#include "yona/train/bench_timing.h"
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
        sum_(parameters_, *backend_, options.ranks != nullptr ? options.ranks->size() : 1,
             options.ranks),
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
    const Batch& batch = next_batch();
    parameters_.zero_gradients();
    loss_ = learner_.accumulate(batch, {.update = static_cast<std::uint64_t>(update_)},
                                work_.objective->weight(batch));
    sum_.add(0);
    optimiser_.step(++update_, 1e-4, sum_.total());
    backend_->synchronize();
  }
  double loss() const {
    const LossSums sums = loss_->read();
    return sums.loss / static_cast<double>(sums.rows);
  }
  double gigabytes() const { return gigabytes_in_use(*backend_, free_before_); }
  std::int64_t parameters() const { return parameters_.count(); }
  double exchange_seconds() const {
    return sum_.exchange_seconds() + optimiser_.exchange_seconds();
  }
  double step_gigabytes() const { return static_cast<double>(learner_.peak_bytes()) / kGigabyte; }

 private:
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

}  // namespace

StepBenchFigures bench_steps(StepBenchWork work, const StepBenchOptions& options) {
  TrainingSteps steps(std::move(work), options);
  Backend& backend = steps.backend();
  for (std::int64_t i = 0; i < options.warmup; ++i) {
    steps.run();
  }
  std::vector<double> seconds;  // of each step; and tokens and operations a second of it
  std::vector<double> rates;
  std::vector<double> flops;
  const double exchanged_before = steps.exchange_seconds();
  for (std::int64_t i = 0; i < options.steps; ++i) {
    const double tokens = steps.next_tokens();
    const double operations = steps.next_flops();
    const double took = seconds_of([&] { steps.run(); });
    seconds.push_back(took);
    rates.push_back(tokens / took);
    flops.push_back(operations / took);
  }
  const double exchanged = steps.exchange_seconds() - exchanged_before;
  Json rest{{"dtype", options.precision == Precision::bf16 ? "bfloat16" : "float32"},
            {"threads", backend.exec().pool != nullptr ? backend.exec().pool->threads() : 0},
            {"parameters", steps.parameters()},
            {"mem_gb", steps.gigabytes()},
            {"step_gb", steps.step_gigabytes()},
            {"loss", steps.loss()}};
  const int ranks = options.ranks != nullptr ? options.ranks->size() : 1;
  if (ranks > 1) {
    rest["ranks"] = ranks;
    rest["exchange_ms"] = exchanged * 1e3 / static_cast<double>(options.steps);
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
