#include "yona/serve/engine/model_pool.h"

#include <algorithm>
#include <utility>

#include "yona/base/error.h"
#include "yona/base/log.h"
#include "yona/decode/line_translator.h"
#include "yona/decode/search_options.h"
#include "yona/io/model_files.h"
#include "yona/io/warm_up.h"
#include "yona/serve/engine/folder_look.h"
#include "yona/serve/engine/step_speed.h"

namespace yona::serve {

namespace {

namespace fs = std::filesystem;

ModelSummary summary_of(const ModelPlace& place) {
  const ModelInfo info = read_model_info(place.folder);
  ModelSummary summary;
  summary.source = place.source.empty() ? info.source_language : place.source;
  summary.target = place.target.empty() ? info.target_language : place.target;
  summary.id = summary.source.empty() || summary.target.empty()
                   ? fs::absolute(place.folder / "x").parent_path().filename().string()
                   : summary.source + "-" + summary.target;
  summary.layers = info.config.decoder_layers;
  summary.heads = info.config.heads;
  summary.d_model = info.config.d_model;
  summary.vocabulary = info.config.target_vocabulary;
  summary.family = info.family.empty() ? "yona" : info.family;
  summary.target_has_spaces = has_sentence_spaces(summary.target);
  return summary;
}

}  // namespace

ModelPlace model_place(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == text.npos || fs::exists(text)) {
    return {text};
  }
  const std::string pair = text.substr(0, sign);
  const std::size_t line = pair.find('-');
  check(line != pair.npos && line > 0 && line + 1 < pair.size(),
        "--model: expected DIR, or SOURCE-TARGET=DIR with the codes of two languages, got '{}'",
        text);
  return {text.substr(sign + 1), pair.substr(0, line), pair.substr(line + 1)};
}

LoadedModel::LoadedModel(const ModelPlace& place, const std::vector<WorkerPlace>& workers,
                         const ModelLoading& loading)
    : models_({place.folder}, workers,
              {.type = loading.type,
               .languages = {place.source, place.target},
               .pair = FolderPair::replaced}),
      options_(models_.search(loading.search)),
      text_(loading.text) {
  Backend& backend = models_.backend();
  std::int64_t products = kUsualProducts;
  if (backend.on_host()) {  // others have read all of it
    warm_up(model(), backend);
  }
  if (backend.planned_device() == Device::cpu) {
    products = measured_products(model(), backend, options_);
  }
  text_.limits = step_limits(model().info().config, backend.planned_device(), products);
  log().debug("{}: up to {} rows of a step, {} tokens of a layer (0: any)", place.folder.string(),
              text_.limits.rows, text_.limits.tokens);
}

DecodeOptions LoadedModel::options(const SearchChoice& choice) const {
  DecodeOptions options = options_;
  options.beam = choice.beam.value_or(options.beam);
  options.length_penalty = choice.length_penalty.value_or(options.length_penalty);
  options.n_best = choice.n_best;
  options.scores = choice.scores;
  options.alignments = choice.alignments;
  if (choice.max_length) {
    options.limit = {.factor = 0, .extra = *choice.max_length};
  }
  check(options.n_best <= options.beam,
        "\"n_best\": {} hypotheses are asked of a beam of {}; a larger \"beam\" has more",
        options.n_best, options.beam);
  return options;
}

std::shared_ptr<Translator> LoadedModel::translator(const SearchChoice& choice, const Lane& lane) {
  const std::string key = fmt::format("{} {} {}", choice.key(), lane.depth, fmt::ptr(lane.backend));
  const auto found = std::find_if(translators_.begin(), translators_.end(),
                                  [&](const Kept& kept) { return kept.key == key; });
  if (found != translators_.end()) {
    translators_.splice(translators_.begin(), translators_, found);
    return translators_.front().translator;
  }
  constexpr std::size_t kMost = 12;
  constexpr std::int64_t kMostBytes = std::int64_t{2}
                                      << 30;  // each keeps that of its largest batch
  std::int64_t bytes = 0;
  for (const Kept& kept : translators_) {
    bytes += kept.translator->kept_bytes();
  }
  while (!translators_.empty() && (translators_.size() >= kMost || bytes > kMostBytes)) {
    bytes -= translators_.back().translator->kept_bytes();
    translators_.pop_back();
  }
  const std::vector<WorkerPlace> one{{.backend = lane.backend}};
  translators_.push_front(
      {key, models_.translator(options(choice), text_,
                               lane.backend == nullptr ? models_.places() : one)});
  return translators_.front().translator;
}

void LoadedModel::trim(std::int64_t most_bytes) {
  translators_.remove_if(
      [&](const Kept& kept) { return kept.translator->kept_bytes() > most_bytes; });
}

ModelPool::ModelPool(const std::vector<ModelPlace>& places, std::vector<WorkerPlace> workers,
                     ModelLoading loading)
    : workers_(std::move(workers)), loading_(std::move(loading)) {
  for (const ModelPlace& place : places) {
    Entry added{.place = place,
                .summary = summary_of(place),
                .estimate = estimate_of(place),
                .model = {},
                .signature = {}};
    verify_model_files(place.folder, VerifiedFiles::all, workers_.front().backend->exec().pool);
    for (const Entry& before : entries_) {
      check(before.summary.id != added.summary.id,
            "--model: {} and {} are both named {}; say SOURCE-TARGET=DIR for one of them",
            before.place.folder.string(), place.folder.string(), added.summary.id);
    }
    entries_.push_back(std::move(added));
  }
}

std::vector<ModelSummary> ModelPool::summaries() const {
  const std::scoped_lock lock(mutex_);
  std::vector<ModelSummary> summaries;
  for (const Entry& entry : entries_) {
    summaries.push_back(entry.summary);
  }
  return summaries;
}

std::shared_ptr<const WorkEstimate> ModelPool::estimate(const std::string& id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.summary.id == id; });
  if (found == entries_.end()) {
    throw HttpError(404, fmt::format("there is no model '{}'", id));
  }
  return found->estimate;
}

std::shared_ptr<const WorkEstimate> ModelPool::estimate_of(const ModelPlace& place) const {
  const ModelInfo info = read_model_info(place.folder);
  return std::make_shared<const WorkEstimate>(info.config,
                                              search_options(place.folder, info, loading_.search));
}

void ModelPool::look_again() {
  const std::scoped_lock lock(mutex_);
  for (Entry& entry : entries_) {
    entry.looked = {};
    entry.is_told = true;
  }
}

ModelPool::Entry& ModelPool::entry(const std::string& id) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.summary.id == id; });
  if (found == entries_.end()) {
    throw HttpError(404, fmt::format("there is no model '{}'", id));
  }
  return *found;
}

// Files are looked at once a second at most.
bool ModelPool::is_due(const Entry& entry) const {
  const std::scoped_lock lock(mutex_);
  return !entry.model || Clock::now() - entry.looked > std::chrono::seconds(1);
}

void ModelPool::load(Entry& entry, const std::string& signature) {
  loading_.loads();
  const Clock::time_point start = Clock::now();
  const bool is_again = entry.model != nullptr;
  try {
    auto model = std::make_shared<LoadedModel>(entry.place, workers_, loading_);
    ModelSummary summary = summary_of(entry.place);
    check<FormatError>(
        summary.source == entry.summary.source && summary.target == entry.summary.target,
        "it translates '{}' to '{}' now; restart the server for other languages", summary.source,
        summary.target);
    summary.id = entry.summary.id;
    summary.loaded = true;
    std::shared_ptr<const WorkEstimate> estimate = estimate_of(entry.place);
    const std::scoped_lock lock(mutex_);
    entry.model = std::move(model);
    entry.summary = std::move(summary);
    entry.estimate = std::move(estimate);
  } catch (const std::exception& error) {
    if (!is_again) {
      throw;
    }
    log().warn("{} has changed and cannot be loaded; going on with what it was: {}",
               entry.place.folder.string(), error.what());
    entry.signature = signature;
    return;
  }
  entry.signature = signature;
  log().info("{} {} in {:.0f} ms", entry.summary.id, is_again ? "loaded again" : "loaded",
             1e3 * seconds_since(start));
}

void ModelPool::trim() {
  constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;
  for (const Entry& entry : entries_) {
    if (entry.model && workers_.front().backend->packs_weights()) {
      entry.model->trim(kMostBytes);
    }
  }
}

std::shared_ptr<LoadedModel> ModelPool::get(const std::string& id) {
  Entry& wanted = entry(id);
  if (is_due(wanted)) {
    const FolderLook look = look_at(wanted.place.folder);
    bool is_told = false;
    {
      const std::scoped_lock lock(mutex_);
      is_told = std::exchange(wanted.is_told, false);
    }
    const bool is_at_rest = is_told || look.is_at_rest(wanted.last_seen);
    if (!wanted.model || (look.signature != wanted.signature && is_at_rest)) {
      load(wanted, look.signature);
    }
    wanted.last_seen = look.signature;
    const std::scoped_lock lock(mutex_);
    wanted.looked = Clock::now();
  }
  return wanted.model;
}

}  // namespace yona::serve
