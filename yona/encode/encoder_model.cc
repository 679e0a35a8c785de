#include "yona/encode/encoder_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "yona/base/error.h"
#include "yona/encode/label_scores.h"
#include "yona/io/encoder_tokenizer_files.h"
#include "yona/io/model_files.h"

namespace yona {

namespace {

std::vector<LabelScore> label_scores(const std::vector<float>& logits, const EncoderInfo& info) {
  std::vector<double> scores(logits.begin(), logits.end());
  if (info.problem == Problem::single_label) {
    scores = probabilities(logits);
  } else if (info.problem == Problem::multi_label) {
    for (double& x : scores) {
      x = 1.0 / (1.0 + std::exp(-x));
    }
  }
  return sorted_scores(scores, info.labels);
}

std::vector<std::size_t> most_probable(const std::vector<double>& p, std::int64_t top) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto count = std::min<std::size_t>(order.size(), static_cast<std::size_t>(top));
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](std::size_t a, std::size_t b) { return p[a] != p[b] ? p[a] > p[b] : a < b; });
  order.resize(count);
  return order;
}

}  // namespace

EncoderModel::EncoderModel(const std::filesystem::path& folder, EncoderInfo info, Backend& backend,
                           Precision precision)
    : info_(std::move(info)),
      tokenizer_(load_encoder_tokenizer(tokenizer_folder(folder), info_)),
      sentences_(read_sentence_settings(folder)),
      model_(info_.config),
      parameters_(model_, backend, Gradients::no),
      runner_(model_, backend, precision) {}

std::unique_ptr<EncoderModel> EncoderModel::load(const std::filesystem::path& folder,
                                                 Backend& backend, Packing packing,
                                                 Precision precision) {
  verify_model_files(folder, VerifiedFiles::subwords);
  std::unique_ptr<EncoderModel> model(
      new EncoderModel(folder, read_encoder_info(folder), backend, precision));
  model->weights_.open(folder, model->parameters_, packing,
                       [&] { read_encoder_weights(folder, model->info_, model->parameters_); });
  return model;
}

std::vector<ClassifiedText> EncoderModel::classify(const std::vector<TextSegments>& texts) {
  check(info_.config.labels > 0,
        "the model has no classification head; `yona train --task classification --init` makes "
        "one");
  std::vector<EncodedText> encoded;
  std::vector<ClassifiedText> answers;
  for (const TextSegments& text : texts) {
    encoded.push_back(tokenizer_.encode(
        text.first, text.second ? std::optional<std::string_view>(*text.second) : std::nullopt,
        info_.config.max_positions));
    answers.push_back(
        {{}, static_cast<std::int64_t>(encoded.back().ids.size()), encoded.back().is_cut});
  }
  const std::lock_guard lock(mutex_);
  const Vectors logits = runner_.class_logits(encoded);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    answers[i].labels = label_scores(logits[i], info_);
  }
  return answers;
}

std::string EncoderModel::prompt_of(const std::optional<std::string>& name) const {
  const std::string wanted = name.value_or(sentences_.default_prompt);
  if (wanted.empty()) {
    return "";
  }
  const auto found = sentences_.prompts.find(wanted);
  std::vector<std::string> names;
  for (const auto& entry : sentences_.prompts) {
    names.push_back(entry.first);
  }
  check(found != sentences_.prompts.end(), "the model has no prompt '{}'; {}", wanted,
        names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", ")));
  return found->second;
}

std::int64_t EncoderModel::longest_embedded() const {
  return sentences_.max_length > 0 ? std::min(sentences_.max_length, info_.config.max_positions)
                                   : info_.config.max_positions;
}

std::vector<EmbeddedText> EncoderModel::embed(const std::vector<std::string>& texts,
                                              const EmbedTextOptions& options) {
  const std::string prompt = prompt_of(options.prompt);
  std::vector<EncodedText> encoded;
  encoded.reserve(texts.size());
  for (const std::string& text : texts) {
    encoded.push_back(tokenizer_.encode(prompt + text, std::nullopt, longest_embedded()));
  }
  return embed_encoded(encoded, options);
}

std::vector<EmbeddedText> EncoderModel::embed_ids(
    const std::vector<std::vector<std::int32_t>>& texts, const EmbedTextOptions& options) {
  std::vector<EncodedText> encoded;
  encoded.reserve(texts.size());
  for (const std::vector<std::int32_t>& ids : texts) {
    for (const std::int32_t id : ids) {
      check(id >= 0 && id < tokenizer_.size(), "there is no token {}; the vocabulary has {}", id,
            tokenizer_.size());
    }
    encoded.push_back(tokenizer_.framed(ids, longest_embedded()));
  }
  return embed_encoded(encoded, options);
}

std::vector<EmbeddedText> EncoderModel::embed_encoded(const std::vector<EncodedText>& texts,
                                                      const EmbedTextOptions& options) {
  const Pooling pooling =
      options.pooling.empty() ? sentences_.pooling : pooling_of(options.pooling);
  const std::lock_guard lock(mutex_);
  Vectors vectors = runner_.pooled(texts, pooling);
  std::vector<EmbeddedText> answers;
  answers.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EmbeddedText& answer = answers.emplace_back(EmbeddedText{
        std::move(vectors[i]), static_cast<std::int64_t>(texts[i].ids.size()), texts[i].is_cut});
    if (options.normalise.value_or(sentences_.normalise)) {
      scale_to_length_1(answer.vector);
    }
  }
  return answers;
}

std::vector<FilledMask> EncoderModel::fill(const std::string& text, std::int64_t top) {
  check(info_.config.masked_lm,
        "the model has no head for masked words; `yona train --task masked-lm --init` makes one");
  check(top > 0, "top: {} is not above 0", top);
  const std::int32_t mask = tokenizer_.special().mask;
  check(mask >= 0, "the model's vocabulary has no mask token");
  const EncodedText encoded = tokenizer_.encode(text, std::nullopt, info_.config.max_positions);
  check(!encoded.is_cut, "the text is longer than the model's {} positions",
        info_.config.max_positions);
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < encoded.ids.size(); ++i) {
    if (encoded.ids[i] == mask) {
      places.push_back(static_cast<std::int64_t>(i));
    }
  }
  check(!places.empty(), "the text has no {}; write it where words are to be filled in",
        tokenizer_.piece(mask));
  const std::lock_guard lock(mutex_);
  const Vectors logits = runner_.masked_logits(encoded, places);
  std::vector<FilledMask> masks;
  for (std::size_t m = 0; m < places.size(); ++m) {
    FilledMask& filled = masks.emplace_back(FilledMask{places[m], {}});
    const std::vector<double> p = probabilities(logits[m]);
    for (const std::size_t id : most_probable(p, top)) {
      const std::vector<std::int32_t> one{static_cast<std::int32_t>(id)};
      MaskCandidate candidate{
          tokenizer_.is_special(one[0]) ? tokenizer_.piece(one[0]) : tokenizer_.decode(one), p[id],
          ""};
      if (places.size() == 1) {
        std::vector<std::int32_t> ids = encoded.ids;
        ids[static_cast<std::size_t>(places[0])] = one[0];
        candidate.text = tokenizer_.decode(ids);
      }
      filled.candidates.push_back(std::move(candidate));
    }
  }
  return masks;
}

}  // namespace yona
