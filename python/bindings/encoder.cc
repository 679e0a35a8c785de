// What Python asks of an encoder: labels, embeddings, masked words; and of an image classifier.

#include <variant>

#include "bindings.h"
#include "model.h"

namespace yona::python {

namespace {

ImagePixels pixels_of(const py::array_t<std::uint8_t, py::array::c_style>& array) {
  check(array.ndim() == 2 || array.ndim() == 3,
        "classify: expected an array [height, width] or [height, width, channels], got one of {} "
        "dimensions",
        array.ndim());
  return {.height = array.shape(0),
          .width = array.shape(1),
          .channels = array.ndim() == 3 ? array.shape(2) : 1,
          .pixels = {array.data(), array.data() + array.size()}};
}

// A picture as Python gives it, without Python: what is computed holds no lock.
using GivenPicture = std::variant<std::filesystem::path, std::string, ImagePixels>;

GivenPicture given_picture(const py::handle& picture) {
  if (py::isinstance<py::bytes>(picture)) {
    return picture.cast<std::string>();
  }
  if (py::isinstance<py::array>(picture)) {
    return pixels_of(picture.cast<py::array_t<std::uint8_t, py::array::c_style>>());
  }
  return std::filesystem::path(picture.cast<std::string>());
}

std::vector<LabelScore> labels_of(const ImageClassifier& classifier, const GivenPicture& picture) {
  if (const auto* path = std::get_if<std::filesystem::path>(&picture)) {
    auto answers = classifier.classify({*path});
    check(answers.size() == 1, "classify: {} has {} pictures; give one of them as an array",
          path->string(), answers.size());
    return answers.front().labels;
  }
  if (const auto* bytes = std::get_if<std::string>(&picture)) {
    return classifier.classify_bytes(*bytes).labels;
  }
  return classifier.classify_pixels(std::get<ImagePixels>(picture)).labels;
}

}  // namespace

py::list Model::classify_images(const py::list& pictures) {
  check(images_.has_value(), "the model is {}; an image classifier is expected", kind());
  std::vector<GivenPicture> given;
  for (const py::handle& picture : pictures) {
    given.push_back(given_picture(picture));
  }
  std::vector<std::vector<LabelScore>> answers;
  worker_.run([&] {
    for (const GivenPicture& picture : given) {
      answers.push_back(labels_of(*images_, picture));
    }
  });
  py::list all;
  for (const std::vector<LabelScore>& each : answers) {
    py::dict labels;
    for (const LabelScore& label : each) {
      labels[text_of(label.label)] = label.score;
    }
    all.append(py::make_tuple(text_of(each.front().label), each.front().score, labels));
  }
  return all;
}

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
