#include "yona/api/model_runtime.h"

#include "yona/api/model.h"
#include "yona/base/error.h"
#include "yona/decode/languages.h"
#include "yona/decode/parser.h"
#include "yona/decode/worker_backends.h"
#include "yona/inspect/attention.h"
#include "yona/trees/ptb_tokenizer.h"
#include "yona/trees/tree_text.h"

namespace yona {

ModelRuntime::ModelRuntime(const std::vector<std::filesystem::path>& folders,
                           const WorkerChoice& workers, const ModelSetOptions& options)
    : device_(workers.device),
      workers_(worker_backends(workers)),
      models_(folders, workers_.places, options) {}

const DecodeOptions& ModelRuntime::prepare(const TranslateOptions& asked) {
  const std::scoped_lock lock(mutex_);
  prepare(models_.search(asked), asked);
  return translator_->options();
}

void ModelRuntime::prepare(const DecodeOptions& search, const TranslateOptions& asked) {
  progress_ = asked.progress;
  const std::int64_t batch_tokens = asked.batch_tokens.value_or(default_batch_tokens(device_));
  if (translator_ && search_ == search && batch_tokens_ == batch_tokens) {
    return;
  }
  translator_.reset();  // its memory goes before that of the next
  translator_ = models_.translator(
      search,
      {.batch_tokens = batch_tokens, .limits = {}, .preempt = {}, .progress = [this](double share) {
         if (progress_) {
           progress_(share);
         }
       }});
  search_ = search;
  batch_tokens_ = batch_tokens;
}

ModelRuntime::Answers ModelRuntime::translate(std::span<const SourceLine> lines,
                                              const TranslateOptions& asked) {
  const std::scoped_lock lock(mutex_);
  check_task("translation");
  const DecodeOptions search = models_.search(asked);
  check_languages(models_.first(), search);
  prepare(search, asked);
  LineTranslator translator(*translator_, models_.line_options(asked.long_lines));
  Answers answers = translator.translate(lines);
  lines_split_ += translator.lines_split();
  sentences_cut_ += translator.sentences_cut();
  return answers;
}

ModelRuntime::Answers ModelRuntime::score(std::span<const SourceLine> lines,
                                          const TranslateOptions& asked) {
  const std::scoped_lock lock(mutex_);
  prepare(models_.search(asked), asked);
  return LineTranslator(*translator_, models_.line_options(asked.long_lines)).score(lines);
}

AttentionMaps ModelRuntime::attention(const std::string& source,
                                      const std::optional<std::string>& target) {
  const std::scoped_lock lock(mutex_);
  check(models_.size() == 1,
        "attention: this is an ensemble of {}; load one of them to look inside", models_.size());
  return inspect_attention(models_.first(), models_.backend(), source, target);
}

void ModelRuntime::check_task(std::string_view task) const {
  const TranslationModel& model = models_.first();
  check(model.info().task == task, "{}: is a model of the task {}; {} needs one of {}",
        model.folder().string(), model.info().task, task == "parsing" ? "parsing" : "translating",
        task);
}

std::vector<std::string> ModelRuntime::parse(const std::vector<std::string>& texts,
                                             const ParseOptions& asked) {
  const std::scoped_lock lock(mutex_);
  check_task("parsing");
  const SubwordPair& subwords = models_.first().subwords();
  const DecodeOptions search =
      parse_options({.beam = asked.beam, .length_penalty = asked.length_penalty},
                    subwords.target.vocabulary(), models_.search({}));
  check_options(search);
  prepare(search,
          {.batch_tokens = asked.batch_tokens.value_or(parse_batch_tokens(device_, search.beam))});
  const Parser parser(subwords, {translator_->max_source(), asked.first_number},
                      [&](std::span<const DecodeRequest> all) { return translator_->decode(all); });
  std::vector<Words> sentences;
  sentences.reserve(texts.size());
  for (const std::string& text : texts) {
    sentences.push_back(asked.tokenized ? spaced_words(text) : ptb_words(text));
  }
  std::vector<std::string> trees;
  for (const Tree& tree : parser.parse(sentences)) {
    trees.push_back(to_brackets(tree));
  }
  return trees;
}

}  // namespace yona
