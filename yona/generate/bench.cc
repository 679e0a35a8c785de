#include "yona/generate/bench.h"

#include <algorithm>
#include <memory>
#include <set>
#include <sys/resource.h>
#include <vector>

#include "yona/base/random.h"
#include "yona/base/timing.h"
#include "yona/generate/generator.h"
#include "yona/models/causal_lm.h"
#include "yona/tensor/half_weights.h"
#include "yona/tensor/quantised_weights.h"

namespace yona {

namespace {

struct RandomLm {
  CausalLm model;
  Parameters weights;
  std::unique_ptr<PackedWeights> packed;
  std::unique_ptr<QuantisedWeights> quantised;

  RandomLm(const CausalLmConfig& config, Packing packing, Backend& backend)
      : model(config), weights(model, backend, Gradients::no) {
    weights.initialise(1);
    if (packing == Packing::int8) {
      quantised = std::make_unique<QuantisedWeights>(weights.weights());
    } else if (packing == Packing::bf16) {
      packed = std::make_unique<HalfWeights>(weights.weights(), DType::bf16,
                                             [](const Tensor& part, float* to) {
                                               std::copy_n(part.data<float>(), part.elements(), to);
                                             });
    } else if (packing == Packing::yes && backend.on_host()) {
      packed = std::make_unique<PackedWeights>(weights.weights());
    }
  }
};

struct Timing {
  double prefill = 0, total = 0;  // seconds
};

// All requests together, from the first prompt to the last token.
Timing generate_once(Generator& generator, const GenerateBenchOptions& options,
                     std::int64_t vocabulary) {
  RandomSequence random(1);
  for (std::int64_t i = 0; i < options.batch; ++i) {
    GenerateRequest request{.max_new = options.new_tokens,
                            .choice = {.temperature = options.temperature},
                            .sequence = static_cast<std::uint64_t>(i)};
    for (std::int64_t t = 0; t < options.prompt_length; ++t) {
      request.prompt.push_back(
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(vocabulary))));
    }
    generator.add(std::move(request));
  }
  const auto begin = Clock::now();
  Timing timing;
  std::set<RequestId> begun;  // requests that have their first token
  while (!generator.is_idle()) {
    const std::vector<GeneratedToken> tokens = generator.step();
    for (std::size_t i = 0; i < tokens.size() && timing.prefill == 0; ++i) {
      begun.insert(tokens[i].request);
    }
    if (timing.prefill == 0 && static_cast<std::int64_t>(begun.size()) == options.batch) {
      timing.prefill = seconds_since(begin);
    }
  }
  timing.total = seconds_since(begin);
  return timing;
}

std::string_view compute_name(const ComputeType& type) {
  return type.packing == Packing::int8                                        ? "int8"
         : type.precision == Precision::f16                                   ? "float16"
         : type.precision == Precision::bf16 || type.packing == Packing::bf16 ? "bfloat16"
                                                                              : "float32";
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace

Json bench_generate(const GenerateBenchOptions& options) {
  const auto start = Clock::now();
  const std::unique_ptr<Backend> backend =
      make_backend(options.device, {.threads = options.threads});
  ComputeType type = options.type.of_language_model(backend->device());
  type.packing = type.is_folders ? Packing::yes : type.packing;
  const RandomLm lm(options.config, type.packing, *backend);
  const std::int64_t vocabulary = options.config.vocabulary;
  Generator generator(lm.model, *backend,
                      {.max_batch = options.batch,
                       .cache_tokens = options.batch * (options.prompt_length + options.new_tokens),
                       .keeps_prefixes = false,
                       .precision = type.precision});
  const double load = seconds_since(start);
  generate_once(generator, options, vocabulary);
  const std::unique_ptr<Profile> profile = backend->make_profile();
  backend->exec().profile = options.profile ? profile.get() : nullptr;
  std::vector<double> totals, prefills;
  for (std::int64_t i = 0; i < options.repetitions; ++i) {
    const Timing timing = generate_once(generator, options, vocabulary);
    totals.push_back(timing.total);
    prefills.push_back(timing.prefill);
  }
  profile->finish();
  backend->exec().profile = nullptr;
  const double total = median(totals);
  const double prefill = median(prefills);
  const auto tokens = static_cast<double>(options.batch * options.new_tokens);
  const auto batch = static_cast<double>(options.batch);
  Json result{{"engine", "yona"},
              {"preset", options.preset},
              {"compute", compute_name(type)},
              {"threads", backend->exec().pool != nullptr ? backend->exec().pool->threads() : 0},
              {"batch", options.batch},
              {"prompt_len", options.prompt_length},
              {"new", options.new_tokens},
              {"tok_s", tokens / total},
              {"prefill_tok_s", batch * static_cast<double>(options.prompt_length) / prefill},
              {"decode_tok_s", options.new_tokens > 1 ? (tokens - batch) / (total - prefill) : 0.0},
              {"ms", total * 1e3},
              {"load_s", load},
              {"mem_mb", peak_megabytes()}};
  if (options.profile) {
    Json parts;
    for (const auto& [name, seconds] : profile->seconds) {
      parts[std::string(name)] = seconds * 1e3 / static_cast<double>(options.repetitions);
    }
    result["ms_by_kernel"] = parts;
  }
  return result;
}

}  // namespace yona
