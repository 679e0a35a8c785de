#include "yona/serve/native_request.h"

#include <algorithm>

#include "yona/serve/detection.h"

namespace yona::serve {

namespace {

std::vector<GlossaryTerm> glossary_of(const RequestFields& fields) {
  std::vector<GlossaryTerm> terms;
  for (const Json& entry : fields.value("glossary")) {
    const bool is_kept = entry.contains("keep");
    if (is_kept == entry.contains("source") || is_kept == entry.contains("target")) {
      throw HttpError(400,
                      "\"glossary\": expected objects with \"keep\", or with \"source\" and "
                      "\"target\"");
    }
    terms.push_back({entry.value(is_kept ? "keep" : "source", ""),
                     entry.value(is_kept ? "keep" : "target", "")});
    if (terms.back().source.empty() || terms.back().target.empty()) {
      throw HttpError(400, "\"glossary\": a term is empty");
    }
  }
  return terms;
}

Clock::time_point deadline_of(const ApiHost& host, const RequestFields& fields) {
  const double most = host.deadline.count();
  const double seconds = std::min(fields.number("deadline").value_or(most), most);
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

ModelSummary chosen_model(const ApiHost& host, const RequestFields& fields,
                          const std::string& text) {
  const std::vector<ModelSummary> models = host.service.models();
  require_translation(models);
  if (fields.has("model")) {
    return model_named(models, fields.text("model"));
  }
  if (!fields.has("source") && !fields.has("target") && models.size() == 1) {
    return models.front();
  }
  if (!fields.has("target")) {
    throw HttpError(400, "\"target\" is missing: the language to translate into, or \"model\"");
  }
  const std::string source = fields.text("source", "auto");
  return model_for(
      models,
      source == "auto" ? detected_source({text}, models, fields.text("target")).language : source,
      fields.text("target"));
}

Split split_of(const RequestFields& fields) {
  const std::string word = fields.text("split", "sentences");
  return word == "none" ? Split::none : word == "lines" ? Split::lines : Split::sentences;
}

std::shared_ptr<TranslationJob> job_for(const ApiHost& host, const RequestFields& fields,
                                        const Texts& texts, WantedAnswer& wanted) {
  auto job = std::make_shared<TranslationJob>();
  job->model = wanted.model.id;
  job->sentences = texts.sentences();
  job->prefix = fields.text("prefix");
  job->glossary = glossary_of(fields);
  job->deadline = deadline_of(host, fields);
  wanted.scores = fields.boolean("scores");
  wanted.alignments = fields.boolean("alignments");
  wanted.attention = job->attention = fields.boolean("attention");
  wanted.is_n_best = fields.has("n_best") || wanted.scores;
  job->search = {.beam = fields.integer("beam"),
                 .max_length = fields.integer("max_length"),
                 .length_penalty = fields.number("length_penalty"),
                 .n_best = fields.integer("n_best").value_or(1),
                 .scores = wanted.scores || wanted.is_n_best,
                 .alignments = wanted.alignments};
  if (!job->prefix.empty() && fields.texts("q").size() != 1) {
    throw HttpError(400, "\"prefix\": belongs to one text; give \"q\" as a text");
  }
  return job;
}

}  // namespace yona::serve
