// The process that decodes for yona in `yona bench compare`: see compare_engine.h for its talk.

#include <algorithm>
#include <iostream>
#include <numeric>
#include <string>
#include <sys/resource.h>

#include "yona/base/timing.h"
#include "yona/cli/compare_engine.h"
#include "yona/cli/compute_type.h"
#include "yona/decode/generation_config.h"
#include "yona/decode/translator.h"
#include "yona/io/atomic_file.h"
#include "yona/io/json_file.h"

namespace yona::cli {

namespace {

using Hypotheses = std::vector<std::vector<Hypothesis>>;

DecodeOptions worker_options(const CompareJob& job, const TranslationModel& model) {
  DecodeOptions options = folder_options(model.folder(), model.info(), job.mode);
  options.beam = job.beam;
  options.scores = job.scores;
  options.limit = {.factor = 0, .extra = job.max_length};
  if (job.mode == BeamMode::huggingface) {  // as bench/peers/compare_peer.py asks of `generate`
    options.force_end = true;
    options.length_penalty = 1;
    options.early_stopping = EarlyStopping::no;
  }
  options.precision = compute_type(job.compute_type, "cpu").precision;
  options.end_id = static_cast<std::int32_t>(job.end_id);
  return options;
}

// The best of each sentence, in order; batches of sentences that are about as long.
std::vector<Hypothesis> decode_sorted(BatchDecoder& decoder,
                                      const std::vector<DecodeRequest>& requests,
                                      std::int64_t batch) {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return requests[a].source.size() > requests[b].source.size();
  });
  std::vector<Hypothesis> best(requests.size());
  for (std::size_t begin = 0; begin < order.size(); begin += static_cast<std::size_t>(batch)) {
    const std::size_t end = std::min(order.size(), begin + static_cast<std::size_t>(batch));
    std::vector<DecodeRequest> together;
    for (std::size_t i = begin; i < end; ++i) {
      together.push_back(requests[order[i]]);
    }
    Hypotheses found = decoder.decode(together);
    for (std::size_t i = begin; i < end; ++i) {
      best[order[i]] = std::move(found[i - begin].front());
    }
  }
  return best;
}

void say(const Json& event) { std::cout << event.dump() << std::endl; }

void write_answers(const std::filesystem::path& path, const std::vector<Hypothesis>& best,
                   bool scores) {
  Json answers = Json::array();
  for (const Hypothesis& hypothesis : best) {
    answers.push_back({{"ids", hypothesis.ids}});
    if (scores) {
      answers.back()["score"] = hypothesis.score;
    }
  }
  replace_file(path, answers.dump());
}

}  // namespace

int run_compare_worker(const std::filesystem::path& job_file) {
  const Json json = read_json(job_file);
  const CompareJob job = job_from(json);
  const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = job.threads});
  const std::unique_ptr<TranslationModel> model = TranslationModel::load(
      job.model, *backend, compute_type(job.compute_type, "cpu").packing_of(job.model));
  BatchDecoder decoder({&model->model()}, *backend, worker_options(job, *model));
  std::vector<DecodeRequest> requests;
  for (const Ids& source : job.sources) {
    requests.push_back({.source = source});
  }
  decoder.decode(std::span(requests).first(1));
  say({{"event", "first"}});
  std::vector<Hypothesis> best;
  for (std::string word; std::getline(std::cin, word) && word == "run";) {
    const double seconds = seconds_of([&] { best = decode_sorted(decoder, requests, job.batch); });
    say({{"event", "run"}, {"seconds", seconds}});
  }
  write_answers(json.at("answers").get<std::string>(), best, job.scores);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  say({{"event", "end"}, {"mem_mb", static_cast<double>(usage.ru_maxrss) / 1024.0}});
  return 0;
}

}  // namespace yona::cli
