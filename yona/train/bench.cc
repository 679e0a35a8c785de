#include "yona/train/bench.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/base/random.h"
#include "yona/train/bench_timing.h"
#include "yona/train/learner.h"
#include "yona/train/optimiser.h"

namespace yona {

namespace {

std::int64_t drawn_length(std::int64_t mean, bool ragged, RandomSequence& random) {
  if (!ragged) {
    return mean;
  }
  return std::max<std::int64_t>(1, mean / 4 + static_cast<std::int64_t>(random.below(
                                                  static_cast<std::uint64_t>(mean * 3 / 2 + 1))));
}

void append_sentence(RaggedIds& side, std::int64_t length, std::int64_t vocabulary,
                     RandomSequence& random) {
  for (std::int64_t t = 0; t < length; ++t) {
    side.ids.push_back(
        static_cast<std::int32_t>(2 + random.below(static_cast<std::uint64_t>(vocabulary - 3))));
  }
  side.end_sentence();
}

PairBatch random_batch(const TrainBenchOptions& options, std::uint64_t key) {
  RandomSequence random(key);
  PairBatch batch;
  batch.clear();
  while (batch.target.tokens() < options.tokens / options.target_length * options.target_length) {
    append_sentence(batch.source, drawn_length(options.source_length, options.ragged, random),
                    options.model.source_vocabulary, random);
    append_sentence(batch.target, drawn_length(options.target_length, options.ragged, random),
                    options.model.target_vocabulary, random);
    batch.sentence_ids.push_back(batch.sentence_ids.size());
    batch.weights.push_back(1.0F);
  }
  return batch;
}

// Multiply-adds of the products of one forward pass; a step is three forwards' worth.
double multiply_adds(const TransformerConfig& m, const PairBatch& batch) {
  const auto S = static_cast<double>(batch.source.tokens());
  const auto T = static_cast<double>(batch.target.tokens());
  const HeadShape heads = m.head_shape();
  const auto d = static_cast<double>(m.d_model);
  const auto keys = static_cast<double>(heads.heads * heads.d_k);
  const auto values = static_cast<double>(heads.heads * heads.d_v);
  const double projections = d * (2 * keys + 2 * values);
  const double feed_forward = 2 * d * static_cast<double>(m.d_ff);
  double squares_s = 0;
  double squares_t = 0;
  double crossed = 0;
  for (std::size_t i = 0; i + 1 < batch.source.offsets.size(); ++i) {
    const auto s = static_cast<double>(batch.source.offsets[i + 1] - batch.source.offsets[i]);
    const auto t = static_cast<double>(batch.target.offsets[i + 1] - batch.target.offsets[i]);
    squares_s += s * s;
    squares_t += t * t / 2;  // causal: half
    crossed += s * t;
  }
  const double encoder = S * (projections + feed_forward) + squares_s * (keys + values);
  const double decoder = T * (projections + d * (keys + values) + feed_forward) +
                         S * d * (keys + values) + (squares_t + crossed) * (keys + values);
  return static_cast<double>(m.encoder_layers) * encoder +
         static_cast<double>(m.decoder_layers) * decoder +
         T * d * static_cast<double>(m.target_vocabulary);
}

constexpr double kGigabyte = 1024.0 * 1024.0 * 1024.0;

// Of the device: all that the process holds there. Of the CPU: the process' peak.
double gigabytes_in_use(const Backend& backend, std::int64_t free_before) {
  const std::int64_t bytes = backend.device() == Device::cpu
                                 ? static_cast<std::int64_t>(peak_memory())
                                 : free_before - backend.memory_bytes();
  return static_cast<double>(bytes) / kGigabyte;
}

// A model in training, on random batches.
class TrainingSteps {
 public:
  explicit TrainingSteps(const TrainBenchOptions& options)
      : backend_(
            make_backend(options.device, {.threads = options.threads, .measure = options.measure})),
        free_before_(backend_->memory_bytes()),
        model_(with_dropout(options.model)),
        parameters_(model_, *backend_, Gradients::yes),
        optimiser_(parameters_, *backend_, train_config(options)),
        learner_(model_, *backend_, {.precision = options.precision}) {
    parameters_.initialise(1);
    for (std::uint64_t key = 0; key < 4; ++key) {
      batches_.push_back(random_batch(options, key));
    }
  }

  Backend& backend() { return *backend_; }
  const PairBatch& next_batch() const {
    return batches_[static_cast<std::size_t>(update_) % batches_.size()];
  }
  void run() {
    const PairBatch& batch = next_batch();
    parameters_.zero_gradients();
    loss_ = learner_.accumulate(batch, {.update = static_cast<std::uint64_t>(update_)},
                                target_weight(batch));
    optimiser_.step(++update_, 1e-4);
    backend_->synchronize();
  }
  double loss() const {
    const LossSums sums = loss_->read();
    return sums.loss / static_cast<double>(sums.tokens);
  }
  double gigabytes() const { return gigabytes_in_use(*backend_, free_before_); }
  double step_gigabytes() const { return static_cast<double>(learner_.peak_bytes()) / kGigabyte; }

 private:
  static TrainConfig train_config(const TrainBenchOptions& options) {
    TrainConfig config;
    config.precision = options.precision;
    return config;
  }
  static TransformerConfig with_dropout(TransformerConfig config) {  // as the peers have it
    config.dropout = config.attention_dropout = 0.1;
    return config;
  }

  std::unique_ptr<Backend> backend_;
  std::int64_t free_before_;
  Transformer model_;
  Parameters parameters_;
  Optimiser optimiser_;
  Learner learner_;
  std::vector<PairBatch> batches_;
  std::optional<PendingLoss> loss_;
  std::int64_t update_ = 0;
};

// The part of a step that a kernel belongs to, unless the step names another.
std::string_view part_of(std::string_view kernel) {
  if (kernel == "matmul" || kernel == "weight_gradients" || kernel == "relu_gradient_product") {
    return "products";
  }
  if (kernel.find("attention") != std::string_view::npos) {
    return "attention";
  }
  if (kernel.starts_with("residual_norm") || kernel == "dropout") {
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

Json bench_train(const TrainBenchOptions& options) {
  TrainingSteps steps(options);
  Backend& backend = steps.backend();
  for (std::int64_t i = 0; i < options.warmup; ++i) {
    steps.run();
  }
  std::vector<double> seconds;  // of each step; and tokens and operations a second of it
  std::vector<double> rates;
  std::vector<double> flops;
  for (std::int64_t i = 0; i < options.steps; ++i) {
    const PairBatch& batch = steps.next_batch();
    const double took = seconds_of([&] { steps.run(); });
    seconds.push_back(took);
    rates.push_back(static_cast<double>(batch.target.tokens()) / took);
    flops.push_back(6.0 * multiply_adds(options.model, batch) / took);
  }
  Json result{{"engine", "yona"},
              {"preset", options.preset},
              {"norm", options.model.norm == NormPosition::pre ? "pre" : "post"},
              {"src_len", options.source_length},
              {"tgt_len", options.target_length},
              {"batch", steps.next_batch().sentences()},
              {"ragged", options.ragged},
              {"dtype", options.precision == Precision::bf16 ? "bfloat16" : "float32"},
              {"threads", backend.exec().pool != nullptr ? backend.exec().pool->threads() : 0},
              {"ms", median(seconds) * 1e3},
              {"tgt_tok_s", median(rates)},
              {"tflops", median(flops) / 1e12},
              {"mem_gb", steps.gigabytes()},
              {"step_gb", steps.step_gigabytes()},
              {"loss", steps.loss()}};
  if (options.profile) {  // steps of their own: measuring takes time
    const std::unique_ptr<Profile> profile = backend.make_profile();
    backend.exec().profile = profile.get();
    for (std::int64_t i = 0; i < options.steps; ++i) {
      steps.run();
    }
    backend.exec().profile = nullptr;
    profile->finish();
    add_profile(*profile, options.steps, result);
  }
  return result;
}

}  // namespace yona
