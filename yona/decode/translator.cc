#include "yona/decode/translator.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>

#include "yona/base/error.h"
#include "yona/base/preemption.h"
#include "yona/base/stop.h"
#include "yona/decode/shortlist.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

std::vector<const SequenceModel*> transformers_of(
    const std::vector<const TranslationModel*>& models) {
  check(!models.empty(), "translate: there is no model");
  std::vector<const SequenceModel*> members;
  for (const TranslationModel* model : models) {
    check(
        model->subwords().source.vocabulary() == models.front()->subwords().source.vocabulary() &&
            model->subwords().target.vocabulary() == models.front()->subwords().target.vocabulary(),
        "translate: {} and {} have different vocabularies; the models of an ensemble must have "
        "the same",
        models.front()->folder().string(), model->folder().string());
    members.push_back(&model->model());
  }
  return members;
}

// The model's own ids, and the languages that were chosen.
DecodeOptions with_ids(DecodeOptions options, const TranslationModel& model) {
  const Vocabulary& vocabulary = model.subwords().target.vocabulary();
  options.end_id = vocabulary.end();
  options.unknown_id = vocabulary.unknown();
  options.start_id = model.frame().start >= 0 ? model.frame().start : options.start_id;
  options.first_id = model.frame().first >= 0 ? model.frame().first : options.first_id;
  return options;
}

// Requests from the longest source to the shortest, in order where they are equal. The longest come
// first, so that what does not fit into memory fails at once.
std::vector<std::size_t> longest_first(std::span<const DecodeRequest> requests) {
  std::vector<std::size_t> order(requests.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return requests[a].source.size() > requests[b].source.size();
  });
  return order;
}

std::size_t source_tokens(std::span<const DecodeRequest> requests) {
  std::size_t tokens = 0;
  for (const DecodeRequest& request : requests) {
    tokens += request.source.size();
  }
  return tokens;
}

// Attention is formed only here: the outputs are forced through the decoder once more, at most
// `most_tokens` tokens at a time (0: all).
void align(std::span<const DecodeRequest> requests, PairScorer& scorer, std::int64_t most_tokens,
           std::vector<std::vector<Hypothesis>>& answers) {
  std::vector<ScorePair> pairs;
  std::vector<Hypothesis*> places;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (Hypothesis& hypothesis : answers[i]) {
      if (!hypothesis.ids.empty()) {
        pairs.push_back({requests[i].source, hypothesis.ids});
        places.push_back(&hypothesis);
      }
    }
  }
  for (std::size_t begin = 0; begin < pairs.size();) {
    std::size_t end = begin;
    for (std::int64_t tokens = 0; end < pairs.size(); ++end) {
      tokens += static_cast<std::int64_t>(pairs[end].source.size() + pairs[end].target.size());
      if (most_tokens > 0 && tokens > most_tokens && end > begin) {
        break;
      }
    }
    std::vector<Hypothesis> scored = scorer.score(std::span(pairs).subspan(begin, end - begin));
    for (Hypothesis& hypothesis : scored) {
      places[begin++]->attention = std::move(hypothesis.attention);
    }
  }
}

// Of the sorted requests.
struct Range {
  std::size_t begin = 0, end = 0;
};

// Counts what is done of a call, batch by batch, from several workers.
class ShareDone {
 public:
  ShareDone(const std::function<void(double)>& report, std::size_t all)
      : report_(report), all_(all) {}

  void add(std::size_t more) {
    if (report_ && all_ > 0) {
      const std::lock_guard lock(mutex_);
      done_ += more;
      report_(static_cast<double>(done_) / static_cast<double>(all_));
    }
  }

 private:
  const std::function<void(double)>& report_;
  std::size_t all_;
  std::size_t done_ = 0;
  std::mutex mutex_;
};

}  // namespace

Translator::Translator(std::vector<const TranslationModel*> models,
                       const std::vector<WorkerPlace>& places, const DecodeOptions& options,
                       const TextOptions& text)
    : subwords_(
          (check(!models.empty(), "translate: there is no model"), models.front()->subwords())),
      frame_(models.front()->frame()),
      workers_(transformers_of(models), places, with_ids(options, *models.front())),
      text_(text) {
  check(!options.shortlist || options.shortlist->is_of(subwords_.fingerprint()),
        "{}: the shortlist is of another vocabulary than {} has; make one for it by `yona "
        "shortlist`",
        options.shortlist ? options.shortlist->name() : "", models.front()->folder().string());
  check(text.batch_tokens >= 1, "translate: a batch of {} tokens holds nothing", text.batch_tokens);
}

Ids Translator::source_ids(std::string_view line) const {
  Ids text;
  if (!is_all_space(line)) {
    subwords_.source.encode(line, text);
  }
  return text.empty() ? text : framed(text);
}

Ids Translator::framed(const Ids& text) const {
  Ids ids = frame_.before_source;
  ids.insert(ids.end(), text.begin(), text.end());
  ids.insert(ids.end(), frame_.after_source.begin(), frame_.after_source.end());
  return ids;
}

// Where every output begins with the same token, so does a prefix. Hugging Face's way gives it at
// no cost instead, where nothing follows it.
Ids Translator::prefix_ids(std::string_view text) const {
  Ids ids;
  subwords_.target.encode(text, ids);
  const bool is_free = ids.empty() && options().mode == BeamMode::huggingface;
  if (options().first_id >= 0 && !is_free) {
    ids.insert(ids.begin(), options().first_id);
  }
  return ids;
}

// How many sentences of at most this many tokens are decoded together.
std::size_t Translator::batch_size(std::int64_t source_tokens) const {
  const std::int64_t length = std::max<std::int64_t>(1, source_tokens);
  const std::int64_t rows = options().sampling.on ? options().n_best : options().beam;
  const StepLimits& limits = text_.limits;
  std::int64_t count = text_.batch_tokens / (length * rows);
  const auto at_most = [&](std::int64_t limit, std::int64_t each) {
    count = limit > 0 ? std::min(count, limit / std::max<std::int64_t>(1, each)) : count;
  };
  at_most(limits.rows, rows);
  at_most(limits.tokens, length);
  at_most(limits.positions, rows * max_length(length));
  return static_cast<std::size_t>(std::max<std::int64_t>(1, count));
}

std::vector<std::vector<Hypothesis>> Translator::decode(std::span<const DecodeRequest> requests,
                                                        SearchWatch* watch) {
  const std::vector<std::size_t> order = longest_first(requests);
  // Few requests are shared out: no worker shall wait for another.
  const std::size_t share = (order.size() + workers_.count() - 1) / workers_.count();
  std::vector<Range> batches;
  for (std::size_t begin = 0; begin < order.size(); begin = batches.back().end) {
    const std::size_t count =
        batch_size(static_cast<std::int64_t>(requests[order[begin]].source.size()));
    batches.push_back({begin, std::min(order.size(), begin + std::min(count, share))});
  }
  std::vector<std::vector<Hypothesis>> answers(requests.size());
  ShareDone share_done(text_.progress, source_tokens(requests));
  workers_.run(batches.size(), [&](Worker& worker, std::size_t i) {
    const auto [begin, end] = batches[i];
    std::vector<DecodeRequest> batch;
    for (std::size_t at = begin; at < end; ++at) {
      batch.push_back(requests[order[at]]);
    }
    std::optional<RenumberedWatch> watch_batch;
    if (watch != nullptr) {
      watch_batch.emplace(*watch, std::span(order).subspan(begin, end - begin));
    }
    const PreemptionScope::Hook hook = [&] { text_.preempt(worker.backend); };
    const PreemptionScope scope(text_.preempt ? &hook : nullptr);
    std::vector<std::vector<Hypothesis>> part =
        worker.decoder.decode(batch, watch_batch ? &*watch_batch : nullptr);
    if (options().alignments) {
      align(batch, worker.scorer, text_.limits.tokens, part);
    }
    for (std::size_t at = begin; at < end; ++at) {
      answers[order[at]] = std::move(part[at - begin]);
    }
    share_done.add(source_tokens(batch));
  });
  return answers;
}

std::vector<Hypothesis> Translator::score(std::span<const SentencePair> pairs) {
  std::vector<ScorePair> ids;
  for (const SentencePair& pair : pairs) {
    check_stop(options().stop, "score");
    ScorePair& both = ids.emplace_back();
    subwords_.source.encode(pair.source, both.source);
    both.source = framed(both.source);
    if (options().first_id >= 0) {
      both.target.push_back(options().first_id);
    }
    subwords_.target.encode(pair.target, both.target);
    both.target.push_back(subwords_.target.vocabulary().end());
    const auto longest =
        static_cast<std::int64_t>(std::max(both.source.size(), both.target.size()));
    check(longest <= max_source(), "score: line {} has {} tokens, the model takes at most {}",
          ids.size(), longest, max_source());
  }
  std::vector<std::size_t> order(pairs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ids[a].target.size() > ids[b].target.size();
  });
  std::vector<Range> batches;
  for (std::size_t begin = 0; begin < order.size(); begin = batches.back().end) {
    std::int64_t tokens = 0;
    std::size_t end = begin;
    while (end < order.size() && (end == begin || tokens < text_.batch_tokens)) {
      const ScorePair& pair = ids[order[end++]];
      tokens += static_cast<std::int64_t>(std::max(pair.source.size(), pair.target.size()));
    }
    batches.push_back({begin, end});
  }
  std::vector<Hypothesis> scores(pairs.size());
  ShareDone share_done(text_.progress, pairs.size());
  workers_.run(batches.size(), [&](Worker& worker, std::size_t i) {
    check_stop(options().stop, "score");
    const auto [begin, end] = batches[i];
    std::vector<ScorePair> batch;
    for (std::size_t at = begin; at < end; ++at) {
      batch.push_back(ids[order[at]]);
    }
    std::vector<Hypothesis> part = worker.scorer.score(batch);
    for (std::size_t at = begin; at < end; ++at) {
      scores[order[at]] = std::move(part[at - begin]);
    }
    share_done.add(end - begin);
  });
  return scores;
}

std::vector<std::vector<SentenceTranslation>> Translator::n_best(
    std::span<const TranslationRequest> requests, SearchWatch* watch) {
  std::vector<DecodeRequest> ids;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    check_stop(options().stop, "translate");
    ids.push_back({source_ids(requests[i].text), prefix_ids(requests[i].prefix), requests[i].id});
    const auto length = static_cast<std::int64_t>(ids.back().source.size());
    check(length <= max_source(), "translate: line {} has {} tokens, the model takes at most {}",
          i + 1, length, max_source());
  }
  std::vector<std::vector<SentenceTranslation>> translations;
  for (std::vector<Hypothesis>& hypotheses : decode(ids, watch)) {
    const Ids& source = ids[translations.size()].source;
    std::vector<SentenceTranslation>& of_line = translations.emplace_back();
    for (Hypothesis& hypothesis : hypotheses) {
      std::string text = subwords_.target.decode(hypothesis.ids);
      of_line.push_back({std::move(text), std::move(hypothesis), source});
    }
  }
  return translations;
}

std::vector<std::string> Translator::translate(const std::vector<std::string>& lines) {
  std::vector<TranslationRequest> requests;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    requests.push_back({.text = lines[i], .id = i});
  }
  std::vector<std::string> best;
  for (std::vector<SentenceTranslation>& translations : n_best(requests)) {
    best.push_back(std::move(translations.front().text));
  }
  return best;
}

}  // namespace yona
