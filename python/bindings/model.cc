#include "model.h"

#include "yona/base/error.h"

#include "bindings.h"

namespace yona::python {

namespace {

// [target words, source words]
py::array_t<float> alignment_array(const std::vector<std::vector<float>>& weights) {
  std::vector<float> all;
  for (const std::vector<float>& row : weights) {
    all.insert(all.end(), row.begin(), row.end());
  }
  return array_of(std::move(all),
                  {static_cast<py::ssize_t>(weights.size()),
                   static_cast<py::ssize_t>(weights.empty() ? 0 : weights.front().size())});
}

void take_sampling(const py::dict& given, TranslateOptions& options) {
  bool sample = false;
  take(given, "sample", kTrueOrFalse, sample);
  for (const char* key : {"temperature", "top_k", "top_p"}) {
    check(sample || !given.contains(key), "{}: is about sampling; add sample=True", key);
  }
  if (sample) {
    Sampling& sampling = options.sampling.emplace();
    take(given, "temperature", kNumber, sampling.temperature);
    take(given, "top_k", kInteger, sampling.top_k);
    take(given, "top_p", kNumber, sampling.top_p);
  }
  take(given, "seed", kInteger, options.seed);
}

TranslateOptions options_of(const py::dict& given) {
  TranslateOptions options;
  take(given, "beam_mode", "a name", options.beam_mode);
  take(given, "beam", kInteger, options.beam);
  take(given, "n_best", kInteger, options.n_best);
  take(given, "length_penalty", kNumber, options.length_penalty);
  take(given, "min_length", kInteger, options.min_length);
  take(given, "no_repeat_ngram", kInteger, options.no_repeat_ngram);
  take(given, "max_length", kInteger, options.max_length);
  take_sampling(given, options);
  take(given, "scores", kTrueOrFalse, options.scores);
  take(given, "alignments", kTrueOrFalse, options.alignments);
  take(given, "alignment_layer", kInteger, options.alignment_layer);
  take(given, "batch_tokens", kInteger, options.batch_tokens);
  std::string long_lines = "split";
  take(given, "long", "split or refuse", long_lines);
  check(long_lines == "split" || long_lines == "refuse", "long: expected split or refuse, got '{}'",
        long_lines);
  options.long_lines = long_lines == "split" ? LongLines::split : LongLines::refuse;
  return options;
}

GenerateOptions generate_options_of(const py::dict& given) {
  GenerateOptions options;
  take(given, "max_new", kInteger, options.max_new);
  take(given, "temperature", kNumber, options.temperature);
  take(given, "top_k", kInteger, options.top_k);
  take(given, "top_p", kNumber, options.top_p);
  take(given, "min_p", kNumber, options.min_p);
  take(given, "repetition_penalty", kNumber, options.repetition_penalty);
  take(given, "presence_penalty", kNumber, options.presence_penalty);
  take(given, "frequency_penalty", kNumber, options.frequency_penalty);
  take(given, "beam", kInteger, options.beam);
  take(given, "length_penalty", kNumber, options.length_penalty);
  take(given, "seed", kInteger, options.seed);
  take(given, "n", kInteger, options.answers);
  take(given, "stop", "texts", options.stop);
  take(given, "logprobs", kInteger, options.logprobs);
  take(given, "json_schema", "a schema", options.json_schema);
  take(given, "regex", "a regular expression", options.regex);
  return options;
}

// (text, tokens, finish, prompt_tokens, logprobs, top_logprobs)
py::object tuple_of(const GeneratedText& answer) {
  py::list alternatives;
  for (const std::vector<TokenAlternative>& best : answer.alternatives) {
    py::list of_token;
    for (const TokenAlternative& token : best) {
      of_token.append(py::make_tuple(token.token, token.logprob));
    }
    alternatives.append(std::move(of_token));
  }
  return py::make_tuple(text_of(answer.text), py::cast(answer.tokens), answer.finish,
                        answer.prompt_tokens, py::cast(answer.logprobs), alternatives);
}

// (text, score, log_probability, tokens, token_scores, word_scores, source_tokens, attention,
// links)
py::object tuple_of(const Translation& translation, bool with_alignment) {
  py::object attention = py::none(), links = py::none();
  if (with_alignment) {
    attention = alignment_array(translation.alignment);
    links = py::cast(translation.links);
  }
  return py::make_tuple(text_of(translation.text), translation.score, translation.log_probability,
                        texts_of(translation.tokens), py::cast(translation.token_scores),
                        py::cast(translation.word_scores), texts_of(translation.source_tokens),
                        attention, links);
}

}  // namespace

Model::Model(const std::vector<std::filesystem::path>& folders, const LoadOptions& options) {
  worker_.run([&] {
    if (folders.size() == 1 && TextEncoder::is_encoder(folders.front())) {
      encoder_.emplace(TextEncoder::load(folders.front(), options));
    } else if (folders.size() == 1 && ImageClassifier::is_image_classifier(folders.front())) {
      images_.emplace(ImageClassifier::load(folders.front(), options));
    } else {
      model_.emplace(yona::Model::load_ensemble(folders, options));
    }
  });
}

const yona::Model& Model::model() const {
  check(model_.has_value(), "the model is {}", kind());
  return *model_;
}

const TextEncoder& Model::encoder() const {
  check(encoder_.has_value(), "the model is {}; an encoder (BERT, RoBERTa …) is expected", kind());
  return *encoder_;
}

std::string Model::kind() const {
  return encoder_  ? "an encoder, which classifies, embeds and fills in masked words"
         : images_ ? "an image classifier, which classifies pictures"
                   : "of the task " + model_->details().task;
}

py::list Model::answer(Task task, const std::vector<SourceLine>& lines, const py::dict& given) {
  TranslateOptions options = options_of(given);
  options.stop = &worker_.stop();
  std::vector<std::vector<Translation>> answers;
  worker_.run([&] {
    if (task == Task::translate) {
      answers = model().n_best(lines, options);
      return;
    }
    for (Translation& scored : model().score(lines, options)) {
      answers.emplace_back().push_back(std::move(scored));
    }
  });
  py::list all;
  for (const std::vector<Translation>& of_line : answers) {
    py::list list;
    for (const Translation& translation : of_line) {
      list.append(tuple_of(translation, options.alignments));
    }
    all.append(std::move(list));
  }
  return all;
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

py::list Model::parse(const std::vector<std::string>& texts, const py::dict& given) {
  ParseOptions options;
  take(given, "beam", kInteger, options.beam);
  take(given, "length_penalty", kNumber, options.length_penalty);
  take(given, "tokenized", kTrueOrFalse, options.tokenized);
  take(given, "batch_tokens", kInteger, options.batch_tokens);
  std::vector<std::string> trees;
  worker_.run([&] { trees = model().parse(texts, options); });
  return texts_of(trees);
}

std::unique_ptr<Attention> Model::attention(const std::string& source,
                                            const std::optional<std::string>& target) {
  std::unique_ptr<Attention> result;
  worker_.run([&] { result = std::make_unique<Attention>(model().attention(source, target)); });
  return result;
}

py::list Model::generate(const std::vector<std::string>& prompts, const py::dict& given,
                         const py::object& on_piece) {
  GenerateOptions options = generate_options_of(given);
  options.interrupt = &worker_.stop();
  OnPiece relay;
  if (!on_piece.is_none()) {
    relay = [&](std::size_t, std::int64_t, const std::string& piece) {
      bool goes_on = true;
      worker_.ask([&] { goes_on = on_piece(text_of(piece)).cast<bool>(); });
      return goes_on;
    };
  }
  std::vector<std::vector<GeneratedText>> answers;
  worker_.run([&] { answers = model().generate_all(prompts, options, relay); });
  py::list all;
  for (const std::vector<GeneratedText>& of_prompt : answers) {
    py::list list;
    for (const GeneratedText& answer : of_prompt) {
      list.append(tuple_of(answer));
    }
    all.append(std::move(list));
  }
  return all;
}

py::tuple Model::perplexity(const std::string& text, const py::dict& given) {
  PerplexityOptions options;
  take(given, "context", kInteger, options.context);
  take(given, "stride", kInteger, options.stride);
  Perplexity result;
  worker_.run([&] { result = model().perplexity(text, options); });
  return py::make_tuple(result.per_token, result.per_word, result.per_byte, result.bits_per_byte,
                        result.nll, result.tokens, result.words, result.bytes, result.windows);
}

py::dict Model::info() const {
  using namespace py::literals;  // NOLINT(google-build-using-namespace): pybind11's own way
  if (images_) {
    const ImageClassifierDetails details = images_->details();
    return py::dict("task"_a = "image-classification", "family"_a = details.family,
                    "parameters"_a = details.parameters, "encoder_layers"_a = details.layers,
                    "decoder_layers"_a = 0, "d_model"_a = details.d_model, "d_ff"_a = details.d_ff,
                    "heads"_a = details.heads, "models"_a = 1,
                    "labels"_a = texts_of(details.labels), "image_height"_a = details.image_height,
                    "image_width"_a = details.image_width, "channels"_a = details.channels,
                    "patch"_a = details.patch);
  }
  if (encoder_) {
    const EncoderDetails details = encoder_->details();
    return py::dict(
        "task"_a = "encoder", "family"_a = details.family, "parameters"_a = details.parameters,
        "encoder_layers"_a = details.layers, "decoder_layers"_a = 0, "d_model"_a = details.d_model,
        "d_ff"_a = details.d_ff, "heads"_a = details.heads, "vocabulary"_a = details.vocabulary,
        "max_positions"_a = details.max_positions, "models"_a = 1,
        "labels"_a = texts_of(details.labels), "is_regression"_a = details.is_regression,
        "fills_masks"_a = details.fills_masks, "mask"_a = text_of(details.mask),
        "pooling"_a = details.pooling, "prompts"_a = texts_of(details.prompts));
  }
  const ModelDetails details = model_->details();
  return py::dict("task"_a = details.task, "family"_a = details.family,
                  "source_language"_a = details.source_language,
                  "target_language"_a = details.target_language,
                  "parameters"_a = details.parameters, "encoder_layers"_a = details.encoder_layers,
                  "decoder_layers"_a = details.decoder_layers, "d_model"_a = details.d_model,
                  "d_ff"_a = details.d_ff, "heads"_a = details.heads,
                  "source_vocabulary"_a = details.source_vocabulary,
                  "target_vocabulary"_a = details.target_vocabulary,
                  "max_positions"_a = details.max_positions, "models"_a = details.models);
}

void bind_model(py::module_& module) {
  py::class_<Model>(module, "Model")
      .def(py::init([](const std::vector<std::string>& folders, const std::string& device,
                       int threads, const std::string& compute_type, const std::string& shortlist,
                       const std::string& src_lang, const std::string& tgt_lang) {
             return std::make_unique<Model>(
                 std::vector<std::filesystem::path>(folders.begin(), folders.end()),
                 LoadOptions{.device = device,
                             .threads = threads,
                             .compute_type = compute_type,
                             .source_language = src_lang,
                             .target_language = tgt_lang,
                             .shortlist = shortlist});
           }),
           py::arg("folders"), py::arg("device"), py::arg("threads"), py::arg("compute_type"),
           py::arg("shortlist"), py::arg("src_lang"), py::arg("tgt_lang"))
      .def("translate", &Model::translate, py::arg("lines"), py::arg("prefixes"),
           py::arg("options"))
      .def("score", &Model::score, py::arg("sources"), py::arg("targets"), py::arg("options"))
      .def("parse", &Model::parse, py::arg("texts"), py::arg("options"))
      .def("attention", &Model::attention, py::arg("source"), py::arg("target"))
      .def("generate", &Model::generate, py::arg("prompts"), py::arg("options"),
           py::arg("on_piece"))
      .def("perplexity", &Model::perplexity, py::arg("text"), py::arg("options"))
      .def("classify", &Model::classify, py::arg("texts"), py::arg("seconds"))
      .def("classify_images", &Model::classify_images, py::arg("pictures"))
      .def_property_readonly("takes_pictures", &Model::takes_pictures)
      .def("embed", &Model::embed, py::arg("texts"), py::arg("options"))
      .def("fill", &Model::fill, py::arg("text"), py::arg("top"))
      .def("info", &Model::info);
}

}  // namespace yona::python
