#include "yona/decode/bench.h"

#include <algorithm>
#include <ctime>
#include <memory>
#include <optional>
#include <sys/resource.h>

#include "yona/base/random.h"
#include "yona/base/timing.h"
#include "yona/decode/batch_decoder.h"
#include "yona/io/translation_model.h"
#include "yona/tensor/packed_weights.h"

namespace yona {

namespace {

// A model of a folder, or one with random weights.
struct BenchModel {
  std::unique_ptr<TranslationModel> loaded;
  std::unique_ptr<Transformer> made;
  std::unique_ptr<Parameters> weights;
  std::unique_ptr<PackedWeights> packed;
  std::unique_ptr<QuantisedWeights> quantised;

  BenchModel(const TranslateBenchOptions& options, Backend& backend) {
    if (!options.model.empty()) {
      loaded = TranslationModel::load(options.model, backend, options.packing);
      return;
    }
    made = std::make_unique<Transformer>(options.config);
    weights = std::make_unique<Parameters>(*made, backend, Gradients::no);
    weights->initialise(1);
    if (options.packing == Packing::int8) {
      quantised = std::make_unique<QuantisedWeights>(weights->weights());
    } else if (options.packing == Packing::yes && backend.on_host()) {
      packed = std::make_unique<PackedWeights>(weights->weights());
    }
  }
  const SequenceModel& model() const {
    return loaded ? loaded->model() : static_cast<const SequenceModel&>(*made);
  }
};

std::vector<DecodeRequest> random_requests(const TranslateBenchOptions& options,
                                           std::int64_t vocabulary) {
  RandomSequence random(1);
  std::vector<DecodeRequest> requests(static_cast<std::size_t>(options.sentences));
  for (DecodeRequest& request : requests) {
    for (std::int64_t t = 0; t + 1 < options.source_length; ++t) {
      const std::uint64_t token = random.below(static_cast<std::uint64_t>(vocabulary - 3));
      request.source.push_back(static_cast<std::int32_t>(2 + token));
    }
    request.source.push_back(0);
  }
  return requests;
}

DecodeOptions decode_options(const TranslateBenchOptions& options) {
  DecodeOptions result;
  result.beam = options.beam;
  result.scores = false;
  result.min_length = options.new_tokens;
  result.limit = {.factor = 0, .extra = options.new_tokens};
  result.precision = options.precision;
  result.shortlist = options.shortlist;
  return result;
}

// Output tokens of the best hypotheses.
std::int64_t decode_all(BatchDecoder& decoder, std::span<const DecodeRequest> requests,
                        std::size_t batch) {
  std::int64_t tokens = 0;
  for (std::size_t begin = 0; begin < requests.size(); begin += batch) {
    const auto part = requests.subspan(begin, std::min(batch, requests.size() - begin));
    for (const std::vector<Hypothesis>& hypotheses : decoder.decode(part)) {
      tokens += static_cast<std::int64_t>(hypotheses.front().ids.size());
    }
  }
  return tokens;
}

std::string_view compute_name(const TranslateBenchOptions& options) {
  const Precision precision = options.precision;
  return options.packing == Packing::int8 ? "int8"
         : precision == Precision::f16    ? "float16"
         : precision == Precision::bf16   ? "bfloat16"
                                          : "float32";
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

Json milliseconds_by_kernel(const Profile& profile, std::int64_t repetitions) {
  Json parts;
  for (const auto& [name, total] : profile.seconds) {
    parts[std::string(name)] = total * 1e3 / static_cast<double>(repetitions);
  }
  return parts;
}

}  // namespace

Json bench_translate(const TranslateBenchOptions& options) {
  const auto start = Clock::now();
  const std::unique_ptr<Backend> backend =
      make_backend(options.device, {.threads = options.threads, .measure = options.measure});
  const BenchModel model(options, *backend);
  BatchDecoder decoder({&model.model()}, *backend, decode_options(options));
  const double load = seconds_since(start);
  const std::vector<DecodeRequest> requests =
      random_requests(options, model.model().shape().source_vocabulary);
  decode_all(decoder, std::span(requests).first(1), 1);
  const double first = seconds_since(start);

  const auto batch = static_cast<std::size_t>(options.batch);
  std::int64_t tokens = decode_all(decoder, requests, batch);
  const std::unique_ptr<Profile> profile = backend->make_profile();
  std::vector<double> seconds, cpu_seconds;
  backend->exec().profile = options.profile ? profile.get() : nullptr;
  for (std::int64_t i = 0; i < options.repetitions; ++i) {
    const auto begin = Clock::now();
    const std::clock_t cpu_begin = std::clock();
    tokens = decode_all(decoder, requests, batch);
    cpu_seconds.push_back(static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC);
    seconds.push_back(seconds_since(begin));
  }
  profile->finish();
  backend->exec().profile = nullptr;
  const double typical = median(seconds);
  Json result{{"engine", "yona"},
              {"preset", options.model.empty() ? options.preset : options.model.string()},
              {"compute", compute_name(options)},
              {"threads", backend->exec().pool != nullptr ? backend->exec().pool->threads() : 0},
              {"beam", options.beam},
              {"batch", options.batch},
              {"sentences", options.sentences},
              {"src_len", options.source_length},
              {"new", options.new_tokens},
              {"tok_s", static_cast<double>(tokens) / typical},
              {"cpu_tok_s", static_cast<double>(tokens) / median(cpu_seconds)},
              {"ms", typical * 1e3},
              {"s", typical},
              {"load_s", load},
              {"first_s", first},
              {"mem_mb", peak_megabytes()}};
  if (options.profile) {
    result["ms_by_kernel"] = milliseconds_by_kernel(*profile, options.repetitions);
  }
  return result;
}

}  // namespace yona
