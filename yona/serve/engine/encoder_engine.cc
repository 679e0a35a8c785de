#include "yona/serve/engine/encoder_engine.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/data/images/picture.h"
#include "yona/io/model_files.h"
#include "yona/serve/metrics.h"
#include "yona/serve/service.h"

namespace yona::serve {

namespace {

EncoderJob& job_in(const Unit& unit) { return static_cast<EncoderJob&>(*unit.job); }

// Texts of jobs with equal groups can be computed together.
std::string group_of(const EncoderJob& job) {
  const char* input = !job.pictures.empty() ? "pictures" : !job.ids.empty() ? "ids" : "texts";
  const EmbedTextOptions& options = job.options;
  return fmt::format("{}\n{} {} {} {}\n{}", job.model, static_cast<int>(job.wants), input,
                     options.pooling, options.normalise ? (*options.normalise ? 1 : 0) : -1,
                     options.prompt ? "=" + *options.prompt : "");
}

// Reading and resizing a large picture takes longer than the model. This many pixels, or rows and
// columns, cost as much as a token.
constexpr std::int64_t kPixelsOfToken = 4096;
constexpr std::int64_t kLinesOfToken = 16;

// A picture with too many pixels costs nothing more: it is refused by its header.
std::int64_t picture_work(const std::string& bytes, std::int64_t context) {
  const auto [height, width] = picture_size(bytes);
  if (height == 0 || width > kMostServedPixels / height) {
    return context;
  }
  return context + height * width / kPixelsOfToken + (height + width) / kLinesOfToken;
}

// Larger batches would keep other requests waiting. The largest picture must fit into one.
BatcherOptions with_work_limit(BatcherOptions options) {
  options.batch_work = std::max(options.batch_tokens, kMostServedPixels / kPixelsOfToken);
  return options;
}

std::vector<std::int64_t> encoder_tokens(const EncoderJob& job, std::int64_t context) {
  constexpr std::int64_t kFrame = 2;
  std::vector<std::int64_t> tokens(job.pictures.size(), context);
  for (const TextSegments& text : job.texts) {
    tokens.push_back(rough_tokens(text.first) + (text.second ? rough_tokens(*text.second) : 0));
  }
  for (const std::vector<std::int32_t>& ids : job.ids) {
    tokens.push_back(static_cast<std::int64_t>(ids.size()) + kFrame);
  }
  for (std::int64_t& each : tokens) {
    each = std::min(each, context);
  }
  return tokens;
}

// Those that cannot be computed together are computed one by one: what is wrong with one does not
// concern the others.
void compute_or_fail(LoadedEncoder& model, std::span<const Unit> units) {
  try {
    std::vector<EncoderResult> results = model.compute(units);
    for (std::size_t i = 0; i < units.size(); ++i) {
      job_in(units[i]).finish(units[i].sentence, std::move(results[i]));
    }
  } catch (...) {
    if (units.size() == 1) {
      units.front().job->fail(std::current_exception());
      return;
    }
    for (std::size_t i = 0; i < units.size(); ++i) {
      if (!job_in(units[i]).is_over()) {
        compute_or_fail(model, units.subspan(i, 1));
      }
    }
  }
}

}  // namespace

EncoderEngine::EncoderEngine(const EncoderEngineOptions& options)
    : loading_(options.loading),
      backend_(make_backend(loading_.device, {.threads = loading_.threads})),
      batcher_(with_work_limit(options.batcher),
               [this](const std::vector<Unit>& batch) { run(batch); }) {
  for (const ServedFolder& place : options.models) {
    auto added = std::make_unique<Entry>(place);
    verify_model_files(place.folder, VerifiedFiles::all, backend_->exec().pool);
    for (const auto& before : entries_) {
      check(before->summary.id != added->summary.id,
            "--model: {} and {} are both named {}; say NAME=DIR for one of them",
            before->place.folder.string(), place.folder.string(), added->summary.id);
    }
    entries_.push_back(std::move(added));
  }
}

std::vector<EncoderSummary> EncoderEngine::encoders() const {
  const std::scoped_lock lock(mutex_);
  std::vector<EncoderSummary> summaries;
  summaries.reserve(entries_.size());
  for (const auto& each : entries_) {
    summaries.push_back(each->summary);
  }
  return summaries;
}

EncoderEngine::Entry& EncoderEngine::entry(const std::string& id) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const auto& each) { return each->summary.id == id; });
  if (found == entries_.end()) {
    throw HttpError(404, fmt::format("there is no encoder '{}'", id));
  }
  return **found;
}

void EncoderEngine::submit(std::shared_ptr<EncoderJob> job) {
  const std::int64_t context = [&] {
    const std::scoped_lock lock(mutex_);
    return entry(job->model).summary.context;
  }();
  job->tokens = encoder_tokens(*job, context);
  for (const std::string& picture : job->pictures) {
    job->work.push_back(picture_work(picture, context));
  }
  job->group = group_of(*job);
  batcher_.submit(job);
}

void EncoderEngine::run(const std::vector<Unit>& batch) {
  try {
    compute_or_fail(loaded(entry(job_in(batch.front()).model)), batch);
  } catch (...) {  // no model, or no memory
    for (const Unit& unit : batch) {
      unit.job->fail(std::current_exception());
    }
  }
}

LoadedEncoder& EncoderEngine::loaded(Entry& entry) {
  if (entry.watch.is_stale()) {
    batcher_.loads();
    load(entry);
    entry.watch.loaded();
  }
  return *entry.model;
}

void EncoderEngine::load(Entry& entry) {
  const Clock::time_point start = Clock::now();
  const bool is_again = entry.model != nullptr;
  try {
    auto model = std::make_unique<LoadedEncoder>(entry.place, *backend_, loading_.type);
    EncoderSummary summary = encoder_summary(entry.place);
    entry.model = std::move(model);
    const std::scoped_lock lock(mutex_);
    entry.summary = std::move(summary);
  } catch (const std::exception& error) {
    if (!is_again) {
      throw;
    }
    log().warn("{} has changed and cannot be loaded; going on with what it was: {}",
               entry.place.folder.string(), error.what());
    return;
  }
  log().info("{} {} in {:.0f} ms", entry.summary.id, is_again ? "loaded again" : "loaded",
             1e3 * seconds_since(start));
}

void EncoderEngine::reload() {
  for (const auto& each : entries_) {
    each->watch.look_again();
  }
}

std::string encoder_metrics(const BatcherFigures& figures) {
  const auto text = [](const char* name, const char* type, const char* help, auto value) {
    return metric_text(name, type, help, static_cast<double>(value));
  };
  return text("yona_encoder_waiting_requests", "gauge", "Requests to encoders in the queue.",
              figures.waiting_jobs) +
         text("yona_encoder_waiting_tokens", "gauge", "Their tokens, about.",
              figures.waiting_tokens) +
         text("yona_encoder_batches_total", "counter", "Batches of encoders.", figures.batches) +
         text("yona_encoder_inputs_total", "counter", "Texts and pictures encoded.",
              figures.sentences) +
         text("yona_encoder_tokens_total", "counter", "Their tokens, about.", figures.tokens) +
         text("yona_encoder_busy_seconds_total", "counter", "Time spent in them.",
              figures.busy_seconds) +
         text("yona_encoder_refused_total", "counter", "Requests refused as too many.",
              figures.refused) +
         text("yona_encoder_late_total", "counter", "Requests dropped at their deadline.",
              figures.late) +
         text("yona_encoder_gone_total", "counter", "Requests whose clients left.", figures.gone);
}

}  // namespace yona::serve
