#include "yona/serve/libretranslate_api.h"

#include <algorithm>

#include "yona/serve/detection.h"
#include "yona/serve/inline_tags.h"
#include "yona/serve/joined_answer.h"
#include "yona/serve/language_names.h"
#include "yona/serve/markup.h"

namespace yona::serve {

namespace {

using Type = FieldType;

constexpr double kMostAlternatives = 16;

Field key_field() { return {"api_key", Type::text, "where the server asks for one"}; }

Field detected_field() {
  return {
      .name = "detectedLanguage",
      .type = Type::object,
      .description = "of each text where the source is auto: a list where q is one",
      .fields = {{"confidence", Type::number, "0 to 100"}, {"language", Type::text, "its code"}}};
}

Fields translate_takes() {
  return {{.name = "q",
           .type = Type::text_or_texts,
           .description = "what to translate: a text, or a list of texts",
           .required = true},
          {.name = "source",
           .type = Type::text,
           .description = "the text's language, a code like en, or auto",
           .required = true},
          {.name = "target",
           .type = Type::text,
           .description = "the language to translate into",
           .required = true},
          {.name = "format",
           .type = Type::text,
           .description = "text (the default), or html: tags stay as they are",
           .words = {"text", "html"}},
          {.name = "alternatives",
           .type = Type::integer,
           .description = "other translations to give besides the best",
           .least = 0,
           .most = kMostAlternatives},
          key_field()};
}

Fields translate_gives() {
  return {{"translatedText", Type::text_or_texts, "the translation; a list where q is one"},
          {"alternatives", Type::texts, "others, best first; lists of them where q is a list"},
          detected_field()};
}

Fields detect_takes() {
  return {{.name = "q", .type = Type::text, .description = "a text", .required = true},
          key_field()};
}

// Texts of a request on their way to one model: what was asked, in pieces to translate, and how to
// put them together.
struct Asked {
  std::vector<Markup> markups;             // of html
  std::vector<DetectedLanguage> detected;  // where the source is auto
  bool is_html = false;
  bool needs_alignments = false;  // to put tags in their places
  std::int64_t alternatives = 0;
  ModelSummary model;
  std::unique_ptr<Texts> texts;
};

// Of html each run of text is a text of its own.
std::vector<std::string> plain_texts(Asked& asked, const std::vector<std::string>& given) {
  if (!asked.is_html) {
    return given;
  }
  std::vector<std::string> runs;
  for (const std::string& html : given) {
    const Markup& markup = asked.markups.emplace_back(html);
    for (const MarkupRun& run : markup.runs()) {
      runs.push_back(run.text);
      asked.needs_alignments = asked.needs_alignments || run.has_tags_inside();
    }
  }
  return runs;
}

// The n-th best translation of each text, or of each run of HTML, as it is answered.
std::string translation(const Asked& asked, const std::vector<SentenceResult>& results,
                        std::size_t text, std::size_t n, const MarkupRun* run) {
  const auto its = asked.texts->results_of(text, results);
  const std::string plain = asked.texts->translation(text, its, n);
  return run == nullptr ? plain : with_tags(*run, plain, asked.texts->links(text, its, n));
}

// The n-th best translation of everything that the request has.
std::vector<std::string> translations(const Asked& asked,
                                      const std::vector<SentenceResult>& results, std::size_t n) {
  std::vector<std::string> whole;
  if (!asked.is_html) {
    for (std::size_t i = 0; i < asked.texts->count(); ++i) {
      whole.push_back(translation(asked, results, i, n, nullptr));
    }
    return whole;
  }
  std::size_t text = 0;
  for (const Markup& markup : asked.markups) {
    std::vector<std::string> runs;
    for (const MarkupRun& run : markup.runs()) {
      runs.push_back(translation(asked, results, text++, n, &run));
    }
    whole.push_back(markup.with_runs(runs));
  }
  return whole;
}

// Texts besides the best, each once, in order.
Json alternatives_json(const Asked& asked, const std::vector<SentenceResult>& results) {
  const std::vector<std::string> best = translations(asked, results, 0);
  Json lists(best.size(), Json::array());
  for (std::int64_t n = 1; n <= asked.alternatives; ++n) {
    const std::vector<std::string> others =
        translations(asked, results, static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < others.size(); ++i) {
      const bool is_new = others[i] != best[i] &&
                          std::find(lists[i].begin(), lists[i].end(), others[i]) == lists[i].end();
      if (is_new) {
        lists[i].push_back(others[i]);
      }
    }
  }
  return lists;
}

void add_detected(const Asked& asked, Json& json) {
  if (!asked.detected.empty()) {
    Json detected = Json::array();
    for (const DetectedLanguage& language : asked.detected) {
      detected.push_back({{"confidence", language.confidence}, {"language", language.language}});
    }
    json["detectedLanguage"] = std::move(detected);
  }
}

// Lists with an item for each text.
Json translated_json(const Asked& asked, const std::vector<SentenceResult>& results) {
  Json json{{"translatedText", translations(asked, results, 0)}};
  if (asked.alternatives > 0) {
    json["alternatives"] = alternatives_json(asked, results);
  }
  add_detected(asked, json);
  return json;
}

// Where a text goes: to a model, or back as it is; and its language, where that was detected.
struct Way {
  std::string name{};  // the model's id; empty: back
  ModelSummary model{};
  std::optional<DetectedLanguage> detected{};
};

// Is the text to be translated into its own language, which no model does? LibreTranslate then
// gives it back, so that its clients need not look at what was detected.
std::optional<Way> way_back(const std::vector<ModelSummary>& models, const std::string& source,
                            const std::string& target, const std::string& text) {
  const auto has_target = [&](const ModelSummary& model) {
    return model.source == target || model.target == target;
  };
  const auto does_it = [&](const ModelSummary& model) {
    return model.source == target && model.target == target;
  };
  if (std::none_of(models.begin(), models.end(), has_target) ||
      std::any_of(models.begin(), models.end(), does_it)) {
    return std::nullopt;
  }
  Way way;
  way.model.source = way.model.target = target;
  if (source == "auto") {
    way.detected = surely_in({text}, target);
    if (way.detected) {
      way.detected->language = target;
    }
  }
  return way.detected || source == target ? std::optional(way) : std::nullopt;
}

Way way_of(const std::vector<ModelSummary>& models, const std::string& source,
           const std::string& target, const std::string& text) {
  if (std::optional<Way> back = way_back(models, source, target, text)) {
    return *back;
  }
  Way way;
  if (source == "auto") {
    way.detected = detected_source({text}, models, target);
  }
  way.model = model_for(models, way.detected ? way.detected->language : source, target);
  way.name = way.model.id;
  return way;
}

// Of each text; those of an "auto" list may be in different languages.
std::vector<Way> ways_of(const std::vector<ModelSummary>& models, const RequestFields& fields,
                         const std::vector<std::string>& given) {
  const std::string source = fields.text("source");
  const std::string target = fields.text("target");
  std::vector<Way> ways;
  ways.reserve(given.size());
  for (const std::string& text : given) {
    ways.push_back(source == "auto" || ways.empty() ? way_of(models, source, target, text)
                                                    : ways.front());
  }
  return ways;
}

Json unchanged_json(const Asked& asked, const std::vector<std::string>& given) {
  Json json{{"translatedText", given}};
  if (asked.alternatives > 0) {
    json["alternatives"] = Json(given.size(), Json::array());
  }
  add_detected(asked, json);
  return json;
}

// What an answer of lists says of each text.
std::vector<Json> pieces_of(const Json& lists, std::size_t texts) {
  std::vector<Json> pieces(texts);
  for (const auto& [name, list] : lists.items()) {
    for (std::size_t i = 0; i < texts; ++i) {
      pieces[i][name] = list[i];
    }
  }
  return pieces;
}

// Lists where q was one.
HttpResponse joined_response(const std::vector<Json>& pieces, bool is_list) {
  if (!is_list) {
    return json_response(pieces.front());
  }
  Json lists{{"translatedText", Json::array()}};
  for (const Json& piece : pieces) {
    for (const auto& [name, value] : piece.items()) {
      lists[name].push_back(value);
    }
  }
  return json_response(lists);
}

using Joined = JoinedAnswer<Json>;

// The job of the texts that one model translates.
std::shared_ptr<TranslationJob> job_for(const ApiHost& host, const Exchange& exchange,
                                        const std::shared_ptr<Asked>& asked, const TextGroup& group,
                                        const std::shared_ptr<Joined>& joined) {
  auto job = std::make_shared<TranslationJob>();
  job->model = asked->model.id;
  job->sentences = asked->texts->sentences();
  job->search.n_best = 1 + asked->alternatives;
  job->search.alignments = asked->needs_alignments;
  if (asked->alternatives > 0) {
    job->search.beam = std::max<std::int64_t>(host.usual_beam, job->search.n_best);
  }
  job->deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(host.deadline);
  job->gone = exchange.gone();
  job->cancelled = joined->cancelled();
  job->done = [joined, asked, group](const std::vector<SentenceResult>& results) {
    joined->put(group, pieces_of(translated_json(*asked, results), group.texts.size()));
  };
  job->failed = [joined](const std::exception_ptr& error) { joined->fail(error); };
  return job;
}

void translate(const ApiHost& host, const std::shared_ptr<Exchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const RequestFields fields(request, translate_takes(), UnknownFields::ignore);
  const std::vector<std::string> given = fields.texts("q");
  const bool is_list = fields.is_list("q");
  check_limits(given, host.limits);
  const std::vector<ModelSummary> models = host.service.models();
  require_translation(models);
  const std::vector<Way> ways = ways_of(models, fields, given);
  std::vector<std::string> names;
  names.reserve(ways.size());
  for (const Way& way : ways) {
    names.push_back(way.name);
  }
  const std::vector<TextGroup> groups = grouped(given, names);
  std::vector<std::shared_ptr<Asked>> parts;
  std::int64_t characters = 0;
  std::int64_t sentences = 0;
  for (const TextGroup& group : groups) {
    const auto asked = std::make_shared<Asked>();
    asked->is_html = fields.text("format") == "html";
    asked->alternatives = fields.integer("alternatives").value_or(0);
    asked->model = ways[group.places.front()].model;
    for (const std::size_t place : group.places) {
      if (ways[place].detected) {
        asked->detected.push_back(*ways[place].detected);
      }
    }
    asked->texts = std::make_unique<Texts>(plain_texts(*asked, group.texts), Split::sentences,
                                           asked->model, host.limits);
    characters += asked->texts->characters();
    sentences += asked->texts->sentence_count();
    check_sentences(sentences, host.limits);
    parts.push_back(asked);
  }
  host.keys.admit(key_of(request, fields.text("api_key")), request.client, characters);
  if (groups.empty()) {
    exchange->respond(joined_response({}, true));
    return;
  }
  const auto joined = std::make_shared<Joined>(
      exchange, given.size(),
      [is_list](const std::vector<Json>& pieces) { return joined_response(pieces, is_list); });
  std::vector<std::shared_ptr<TranslationJob>> jobs;
  try {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].way.empty()) {
        joined->put(groups[i],
                    pieces_of(unchanged_json(*parts[i], groups[i].texts), groups[i].texts.size()));
        continue;
      }
      const auto job = job_for(host, *exchange, parts[i], groups[i], joined);
      if (job->sentences.empty()) {
        job->done({});
      } else {
        jobs.push_back(job);
      }
    }
    host.service.submit_parts(jobs);
  } catch (...) {
    joined->fail(std::current_exception());
  }
}

void list_languages(const ApiHost& host, Exchange& exchange) {
  Json languages = Json::array();
  const std::vector<ModelSummary> models = host.service.models();
  std::vector<std::string> codes;
  for (const ModelSummary& model : models) {
    for (const std::string& code : {model.source, model.target}) {
      if (!code.empty() && std::find(codes.begin(), codes.end(), code) == codes.end()) {
        codes.push_back(code);
      }
    }
  }
  for (const std::string& code : codes) {
    Json targets = Json::array();
    for (const ModelSummary& model : models) {
      if (model.source == code) {
        targets.push_back(model.target);
      }
    }
    languages.push_back({{"code", code}, {"name", language_name(code)}, {"targets", targets}});
  }
  exchange.respond(json_response(languages));
}

void detect(const ApiHost& host, Exchange& exchange) {
  const HttpRequest& request = exchange.request();
  const RequestFields fields(request, detect_takes(), UnknownFields::ignore);
  const std::string text = fields.text("q");
  host.keys.admit(key_of(request, fields.text("api_key")), request.client, character_count(text));
  Json found = Json::array();
  for (const DetectedLanguage& detected : detect_languages(text)) {
    found.push_back({{"confidence", detected.confidence}, {"language", detected.language}});
  }
  if (found.empty()) {  // LibreTranslate's clients expect one
    found.push_back({{"confidence", 0.0}, {"language", "en"}});
  }
  exchange.respond(json_response(found));
}

}  // namespace

std::vector<Route> libretranslate_routes(const ApiHost& host) {
  return {
      {.method = "POST",
       .path = "/translate",
       .summary = "Translates a text or a list of texts (LibreTranslate).",
       .takes = translate_takes(),
       .gives = translate_gives(),
       .queue = Queue::translation,
       .handler = [&host](const auto& exchange) { translate(host, exchange); }},
      {.method = "GET",
       .path = "/languages",
       .summary = "The languages that are served (LibreTranslate).",
       .gives = {{"code", Type::text, "of the language"},
                 {"name", Type::text, "in English"},
                 {"targets", Type::texts, "languages it can be translated into"}},
       .gives_list = true,
       .handler = [&host](const auto& exchange) { list_languages(host, *exchange); }},
      {.method = "POST",
       .path = "/detect",
       .summary = "Finds out a text's language (LibreTranslate).",
       .takes = detect_takes(),
       .gives = {{"confidence", Type::number, "0 to 100"}, {"language", Type::text, "its code"}},
       .gives_list = true,
       .handler = [&host](const auto& exchange) { detect(host, *exchange); }},
      {.method = "GET",
       .path = "/health",
       .summary = "Whether the server is there (LibreTranslate).",
       .gives = {{"status", Type::text, "ok"}},
       .handler = [](const auto& exchange) {
         exchange->respond(json_response({{"status", "ok"}}));
       }}};
}

}  // namespace yona::serve
