// What Python asks of an encoder: labels, embeddings, masked words.

#include "bindings.h"
#include "model.h"

namespace yona::python {

py::list Model::classify(const std::vector<std::string>& texts,
                         const std::vector<std::string>& seconds) {
  std::vector<TextSegments> segments;
  segments.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    segments.push_back({texts[i], seconds.empty() ? std::optional<std::string>() : seconds.at(i)});
  }
  std::vector<ClassifiedText> answers;
  worker_.run([&] { answers = encoder().classify(segments); });
  const bool is_regression = encoder().details().is_regression;
  py::list all;
  for (const ClassifiedText& text : answers) {
    py::dict labels;
    for (const LabelScore& label : text.labels) {
      if (!is_regression) {
        labels[text_of(label.label)] = label.score;
      }
    }
    const LabelScore& best = text.labels.front();
    all.append(py::make_tuple(is_regression ? py::str() : text_of(best.label), best.score, labels,
                              text.tokens, text.is_cut));
  }
  return all;
}

py::array_t<float> Model::embed(const std::vector<std::string>& texts, const py::dict& given) {
  EmbedTextOptions options;
  take(given, "pooling", "mean, cls or max", options.pooling);
  take(given, "normalize", kTrueOrFalse, options.normalise);
  take(given, "prompt", "the name of a prompt", options.prompt);
  std::vector<EmbeddedText> answers;
  worker_.run([&] { answers = encoder().embed(texts, options); });
  const auto width = static_cast<py::ssize_t>(encoder().details().d_model);
  std::vector<float> all;
  all.reserve(answers.size() * static_cast<std::size_t>(width));
  for (const EmbeddedText& text : answers) {
    all.insert(all.end(), text.vector.begin(), text.vector.end());
  }
  return array_of(std::move(all), {static_cast<py::ssize_t>(answers.size()), width});
}

py::list Model::fill(const std::string& text, std::int64_t top) {
  std::vector<FilledMask> masks;
  worker_.run([&] { masks = encoder().fill(text, top); });
  py::list all;
  for (const FilledMask& mask : masks) {
    py::list candidates;
    for (const MaskCandidate& candidate : mask.candidates) {
      candidates.append(
          py::make_tuple(text_of(candidate.token), candidate.probability, text_of(candidate.text)));
    }
    all.append(std::move(candidates));
  }
  return all;
}

}  // namespace yona::python
