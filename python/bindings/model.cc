#include "model.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/decode/compute_type.h"
#include "yona/decode/generation_config.h"
#include "yona/decode/languages.h"
#include "yona/decode/line_words.h"
#include "yona/decode/shortlist.h"

#include "bindings.h"

namespace yona::python {

namespace {

// [target words, source words]
py::array_t<float> alignment_array(const SoftAlignment& weights) {
  std::vector<float> all;
  for (const std::vector<float>& row : weights) {
    all.insert(all.end(), row.begin(), row.end());
  }
  return array_of(std::move(all),
                  {static_cast<py::ssize_t>(weights.size()),
                   static_cast<py::ssize_t>(weights.empty() ? 0 : weights.front().size())});
}

void take_sampling(const py::dict& given, SamplingOptions& sampling) {
  take(given, "sample", kTrueOrFalse, sampling.on);
  for (const char* key : {"temperature", "top_k", "top_p"}) {
    check(sampling.on || !given.contains(key), "{}: is about sampling; add sample=True", key);
  }
  take(given, "temperature", kNumber, sampling.temperature);
  take(given, "top_k", kInteger, sampling.top_k);
  take(given, "top_p", kNumber, sampling.top_p);
  take(given, "seed", kInteger, sampling.seed);
}

}  // namespace

Model::Model(const std::vector<std::filesystem::path>& folders, const ModelOptions& options) {
  worker_.run([&] { load(folders, options); });
}

void Model::load(const std::vector<std::filesystem::path>& folders, const ModelOptions& options) {
  check(!folders.empty(), "load: there is no folder");
  check(options.device == "cpu" || options.device == "cuda",
        "device: expected cpu or cuda, got '{}'", options.device);
  const ComputeType type =
      choose_compute_type(options.compute_type, options.device, "compute_type");
  precision_ = type.precision;
  default_batch_tokens_ = options.device == "cuda" ? 65536 : TextOptions{}.batch_tokens;
  if (!options.shortlist.empty()) {
    shortlist_ = std::make_shared<Shortlist>(Shortlist::load(options.shortlist));
  }
  backend_ = make_backend(options.device, {.threads = options.threads});
  for (const std::filesystem::path& folder : folders) {
    models_.push_back(TranslationModel::load(folder, *backend_, type.packing_of(folder)));
    check_pair(*models_.back(), {options.source_language, options.target_language});
    models_.back()->choose_languages({options.source_language, options.target_language});
  }
}

DecodeOptions Model::search_options(const py::dict& given) const {
  const TranslationModel& first = *models_.front();
  std::string mode;
  take(given, "beam_mode", "a name", mode);
  DecodeOptions options = mode.empty()
                              ? folder_options(first.folder(), first.info())
                              : folder_options(first.folder(), first.info(), beam_mode(mode));
  take(given, "beam", kInteger, options.beam);
  take(given, "n_best", kInteger, options.n_best);
  take(given, "length_penalty", kNumber, options.length_penalty);
  take(given, "min_length", kInteger, options.min_length);
  take(given, "no_repeat_ngram", kInteger, options.no_repeat_ngram);
  if (given.contains("max_length")) {
    options.limit.factor = 0;
    take(given, "max_length", kInteger, options.limit.extra);
  }
  take_sampling(given, options.sampling);
  take(given, "scores", kTrueOrFalse, options.scores);
  take(given, "alignments", kTrueOrFalse, options.alignments);
  take(given, "alignment_layer", kInteger, options.alignment_layer);
  options.precision = precision_;
  options.shortlist = shortlist_;
  options.stop = &worker_.stop();
  check_options(options);
  return options;
}

py::list Model::answer(Task task, const std::vector<SourceLine>& lines, const py::dict& options) {
  const DecodeOptions search = search_options(options);
  if (task == Task::translate) {
    check_languages(*models_.front(), search);
  }
  std::int64_t batch_tokens = default_batch_tokens_;
  take(options, "batch_tokens", kInteger, batch_tokens);
  std::string long_lines = "split";
  take(options, "long", "split or refuse", long_lines);
  check(long_lines == "split" || long_lines == "refuse", "long: expected split or refuse, got '{}'",
        long_lines);
  Answers answers;
  worker_.run([&] {
    if (!translator_ || asked_ != search || batch_tokens_ != batch_tokens) {
      std::vector<const TranslationModel*> models;
      std::transform(models_.begin(), models_.end(), std::back_inserter(models),
                     [](const auto& model) { return model.get(); });
      translator_.reset();
      translator_ = std::make_unique<Translator>(models, *backend_, search,
                                                 TextOptions{.batch_tokens = batch_tokens});
      asked_ = search;
      batch_tokens_ = batch_tokens;
    }
    const ModelInfo& info = models_.front()->info();
    LineTranslator translator(
        *translator_, {.long_lines = long_lines == "split" ? LongLines::split : LongLines::refuse,
                       .source_language = info.source_language,
                       .target_language = info.target_language});
    answers = task == Task::score ? translator.score(lines) : translator.translate(lines);
  });
  py::list all;
  for (const std::vector<LineTranslation>& of_line : answers) {
    py::list list;
    for (const LineTranslation& translation : of_line) {
      list.append(translation_of(translation, search.alignments));
    }
    all.append(std::move(list));
  }
  return all;
}

// (text, score, log_probability, tokens, token_scores, word_scores, source_tokens, attention,
// links)
py::object Model::translation_of(const LineTranslation& line, bool with_alignment) const {
  const Vocabulary& source = models_.front()->subwords().source.vocabulary();
  const Vocabulary& target = models_.front()->subwords().target.vocabulary();
  py::list tokens, token_scores, source_tokens;
  for (const Translation& part : line.parts) {
    for (const std::int32_t id : part.source) {
      source_tokens.append(text_of(source.piece(id)));
    }
    for (std::size_t i = 0; i < part.hypothesis.ids.size(); ++i) {
      tokens.append(text_of(target.piece(part.hypothesis.ids[i])));
      token_scores.append(part.hypothesis.token_scores[i]);
    }
  }
  py::object attention = py::none(), links = py::none();
  if (with_alignment) {
    const SoftAlignment weights = line_alignment(line, source, target);
    attention = alignment_array(weights);
    links = py::cast(hard_alignment_links(weights));
  }
  return py::make_tuple(text_of(line.text), line.score, line.log_probability, tokens, token_scores,
                        line_word_scores(line, target), source_tokens, attention, links);
}

py::list Model::translate(const std::vector<std::string>& lines,
                          const std::vector<std::string>& prefixes, const py::dict& options) {
  std::vector<SourceLine> sources;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    sources.push_back({.text = lines[i],
                       .prefix = prefixes.empty() ? std::string() : prefixes.at(i),
                       .number = i + 1});
  }
  return answer(Task::translate, sources, options);
}

py::list Model::score(const std::vector<std::string>& sources,
                      const std::vector<std::string>& targets, const py::dict& options) {
  std::vector<SourceLine> lines;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    lines.push_back({.text = sources[i], .target = targets.at(i), .number = i + 1});
  }
  return answer(Task::score, lines, options);
}

std::unique_ptr<Attention> Model::attention(const std::string& source,
                                            const std::optional<std::string>& target) {
  check(models_.size() == 1,
        "attention: this is an ensemble of {}; load one of them to look inside", models_.size());
  std::unique_ptr<Attention> result;
  worker_.run([&] {
    result =
        std::make_unique<Attention>(inspect_attention(*models_.front(), *backend_, source, target));
  });
  return result;
}

py::dict Model::info() const {
  const TranslationModel& first = *models_.front();
  const ModelInfo& info = first.info();
  const TransformerConfig& config = info.config;
  using namespace py::literals;  // NOLINT(google-build-using-namespace): pybind11's own way
  return py::dict(
      "family"_a = info.family.empty() ? "yona" : info.family,
      "source_language"_a = info.source_language, "target_language"_a = info.target_language,
      "parameters"_a = first.parameters().count(), "encoder_layers"_a = config.encoder_layers,
      "decoder_layers"_a = config.decoder_layers, "d_model"_a = config.d_model,
      "d_ff"_a = config.d_ff, "heads"_a = config.heads,
      "source_vocabulary"_a = config.source_vocabulary,
      "target_vocabulary"_a = config.target_vocabulary, "max_positions"_a = config.max_positions,
      "models"_a = models_.size());
}

void bind_model(py::module_& module) {
  py::class_<Model>(module, "Model")
      .def(py::init([](const std::vector<std::string>& folders, const std::string& device,
                       int threads, const std::string& compute_type, const std::string& shortlist,
                       const std::string& src_lang, const std::string& tgt_lang) {
             return std::make_unique<Model>(
                 std::vector<std::filesystem::path>(folders.begin(), folders.end()),
                 ModelOptions{device, threads, compute_type, shortlist, src_lang, tgt_lang});
           }),
           py::arg("folders"), py::arg("device"), py::arg("threads"), py::arg("compute_type"),
           py::arg("shortlist"), py::arg("src_lang"), py::arg("tgt_lang"))
      .def("translate", &Model::translate, py::arg("lines"), py::arg("prefixes"),
           py::arg("options"))
      .def("score", &Model::score, py::arg("sources"), py::arg("targets"), py::arg("options"))
      .def("attention", &Model::attention, py::arg("source"), py::arg("target"))
      .def("info", &Model::info);
}

}  // namespace yona::python
