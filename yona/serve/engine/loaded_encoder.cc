#include "yona/serve/engine/loaded_encoder.h"

#include <utility>

#include "yona/io/model_kind.h"

namespace yona::serve {

namespace {

const EncoderJob& encoder_job(const Unit& unit) {
  return static_cast<const EncoderJob&>(*unit.job);
}

EncoderSummary image_summary(const ServedFolder& place) {
  const ImageModelInfo info = read_image_info(place.folder);
  return {.id = place.name(),
          .family = info.family,
          .layers = info.config.layers,
          .heads = info.config.heads,
          .d_model = info.config.d_model,
          .context = info.config.tokens(),
          .labels = info.labels};
}

}  // namespace

EncoderSummary encoder_summary(const ServedFolder& place) {
  if (read_model_kind(place.folder) == ModelKind::image) {
    return image_summary(place);
  }
  const EncoderInfo info = read_encoder_info(place.folder);
  return {.id = place.name(),
          .family = info.family,
          .layers = info.config.layers,
          .heads = info.config.heads,
          .d_model = info.config.d_model,
          .vocabulary = info.config.vocabulary,
          .context = info.config.max_positions,
          .labels = info.config.labels > 0 ? info.labels : std::vector<std::string>{},
          .is_regression = info.problem == Problem::regression};
}

LoadedEncoder::LoadedEncoder(const ServedFolder& place, Backend& backend, const ComputeType& type) {
  const Packing packing = type.packing_of(place.folder);
  if (read_model_kind(place.folder) == ModelKind::image) {
    pictures_ = ImageModel::load(place.folder, backend, packing, type.precision);
  } else {
    texts_ = EncoderModel::load(place.folder, backend, packing, type.precision);
  }
}

std::vector<EncoderResult> LoadedEncoder::compute(std::span<const Unit> units) {
  if (pictures_) {
    return labels_of_pictures(units);
  }
  return encoder_job(units.front()).wants == EncoderJob::Wants::labels ? labels_of_texts(units)
                                                                       : vectors(units);
}

std::vector<EncoderResult> LoadedEncoder::labels_of_pictures(std::span<const Unit> units) {
  std::vector<ImageModel::NamedPicture> pictures;
  pictures.reserve(units.size());
  for (const Unit& unit : units) {
    const std::string name = fmt::format("picture {}", unit.sentence + 1);
    pictures.push_back(
        {name, decode_picture(encoder_job(unit).pictures[unit.sentence], name, kMostServedPixels)});
  }
  std::vector<EncoderResult> results;
  results.reserve(units.size());
  for (std::vector<LabelScore>& labels : pictures_->classify(pictures)) {
    results.push_back({.labels = std::move(labels), .tokens = pictures_->info().config.tokens()});
  }
  return results;
}

std::vector<EncoderResult> LoadedEncoder::labels_of_texts(std::span<const Unit> units) {
  std::vector<TextSegments> texts;
  texts.reserve(units.size());
  for (const Unit& unit : units) {
    texts.push_back(encoder_job(unit).texts[unit.sentence]);
  }
  std::vector<EncoderResult> results;
  results.reserve(units.size());
  for (ClassifiedText& text : texts_->classify(texts)) {
    results.push_back(
        {.labels = std::move(text.labels), .tokens = text.tokens, .is_cut = text.is_cut});
  }
  return results;
}

std::vector<EncoderResult> LoadedEncoder::vectors(std::span<const Unit> units) {
  const EncoderJob& first = encoder_job(units.front());
  std::vector<std::string> texts;
  std::vector<std::vector<std::int32_t>> ids;
  for (const Unit& unit : units) {
    const EncoderJob& job = encoder_job(unit);
    if (first.ids.empty()) {
      texts.push_back(job.texts[unit.sentence].first);
    } else {
      ids.push_back(job.ids[unit.sentence]);
    }
  }
  std::vector<EncoderResult> results;
  results.reserve(units.size());
  for (EmbeddedText& text : first.ids.empty() ? texts_->embed(texts, first.options)
                                              : texts_->embed_ids(ids, first.options)) {
    results.push_back(
        {.vector = std::move(text.vector), .tokens = text.tokens, .is_cut = text.is_cut});
  }
  return results;
}

}  // namespace yona::serve
