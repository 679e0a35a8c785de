#include "yona/inspect/image_attention.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "yona/base/base64.h"
#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/data/images/patches.h"
#include "yona/encode/label_scores.h"
#include "yona/inspect/html.h"
#include "yona/io/image_folder.h"
#include "yona/models/vit.h"
#include "yona/nn/parameters.h"
#include "yona/tensor/attention_recorder.h"
#include "yona/text/display.h"

namespace yona {

extern const std::string_view kImageAttentionPage;  // image_page.html

namespace {

// [heads, tokens, tokens] of every layer, of one picture.
class LayerRecorder : public AttentionRecorder {
 public:
  void record(const AttentionRecord& record) override {
    heads = record.heads;
    tokens = record.keys.tokens;
    layers.push_back(record.weights.to_vector<float>());
  }

  std::int64_t heads = 0, tokens = 0;
  std::vector<std::vector<float>> layers;
};

std::vector<float> mean_of_heads(const std::vector<float>& weights, std::size_t heads) {
  const std::size_t each = weights.size() / heads;
  std::vector<float> mean(each, 0.0F);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    mean[i % each] += weights[i] / static_cast<float>(heads);
  }
  return mean;
}

// What looks at the patches: the class token, or all tokens in the mean; the patches come after
// `special` tokens.
std::vector<float> seen_patches(std::span<const float> weights, std::size_t tokens,
                                std::size_t special) {
  const std::size_t queries = special > 0 ? 1 : tokens;
  std::vector<float> seen(tokens - special, 0.0F);
  for (std::size_t query = 0; query < queries; ++query) {
    for (std::size_t patch = 0; patch < seen.size(); ++patch) {
      seen[patch] += weights[query * tokens + special + patch] / static_cast<float>(queries);
    }
  }
  return seen;
}

void gather(const LayerRecorder& recorder, std::size_t special, ImageAttention& attention) {
  const auto tokens = static_cast<std::size_t>(recorder.tokens);
  const auto heads = static_cast<std::size_t>(recorder.heads);
  std::vector<std::vector<float>> means;
  for (const std::vector<float>& layer : recorder.layers) {
    std::vector<float>& seen = attention.layers.emplace_back();
    for (std::size_t head = 0; head < heads; ++head) {
      const std::vector<float> one = seen_patches(
          std::span(layer).subspan(head * tokens * tokens, tokens * tokens), tokens, special);
      seen.insert(seen.end(), one.begin(), one.end());
    }
    means.push_back(mean_of_heads(layer, heads));
  }
  for (const std::vector<float>& rolled : attention_roll_out(means, tokens)) {
    attention.roll_out.push_back(seen_patches(rolled, tokens, special));
  }
}

// Each map in steps of its largest weight / 255, and that weight.
Json map_json(std::span<const float> map) {
  const float largest = *std::max_element(map.begin(), map.end());
  std::string bytes;
  for (const float weight : map) {
    bytes += static_cast<char>(
        largest > 0 ? std::lround(255.0F * std::clamp(weight / largest, 0.0F, 1.0F)) : 0);
  }
  return {{"largest", largest}, {"bytes", base64(bytes)}};
}

Json labels_list(const ImageAttention& attention) {
  Json labels = Json::array();
  for (const LabelScore& label : attention.labels) {
    labels.push_back({{"label", printable(label.label)}, {"score", label.score}});
  }
  return labels;
}

}  // namespace

std::vector<float> ImageAttention::mean(std::size_t layer) const {
  return mean_of_heads(layers.at(layer), static_cast<std::size_t>(heads));
}

std::vector<std::vector<float>> attention_roll_out(std::span<const std::vector<float>> weights,
                                                   std::size_t tokens) {
  std::vector<std::vector<float>> results;
  for (const std::vector<float>& layer : weights) {
    std::vector<float> rolled(tokens * tokens, 0.0F);
    for (std::size_t i = 0; i < tokens; ++i) {
      for (std::size_t k = 0; k < tokens; ++k) {
        const float share = 0.5F * layer[i * tokens + k] + (i == k ? 0.5F : 0.0F);
        if (results.empty()) {
          rolled[i * tokens + k] = share;
          continue;
        }
        const float* before = results.back().data() + k * tokens;
        for (std::size_t j = 0; j < tokens; ++j) {
          rolled[i * tokens + j] += share * before[j];
        }
      }
    }
    results.push_back(std::move(rolled));
  }
  return results;
}

ImageAttention inspect_image(const std::filesystem::path& folder, Backend& backend,
                             const Picture& picture, const std::string& name) {
  const ImageModelInfo info = read_image_info(folder);
  check(info.config.labels > 0, "{}: the model has no classifier", folder.string());
  Vit model(info.config);
  Parameters parameters(model, backend, Gradients::no);
  read_image_weights(folder, info, parameters);
  const PatchMaker maker(patch_grid(info.config), info.processor.normalisation);
  ImageAttention attention{.name = name};
  attention.picture = prepared(picture, info.processor, image_shape(info.config), name);
  attention.has_class_token = info.config.special_tokens() > 0;
  attention.rows = maker.grid().rows();
  attention.columns = maker.grid().columns();
  attention.heads = info.config.heads;
  std::vector<float> patches;
  maker.append(attention.picture.pixels.data(), {}, patches);
  Region region(backend);
  LayerRecorder recorder;
  Context c{.region = region, .attention = &recorder};
  const VitInput input = model.input({.patches = patches, .image_ids = {}}, region);
  const Tensor logits = model.logits(input, model.states(input, c), c);
  attention.labels = sorted_scores(probabilities(logits.to_vector<float>()), info.labels);
  gather(recorder, static_cast<std::size_t>(info.config.special_tokens()), attention);
  return attention;
}

std::string image_attention_page(const ImageAttention& attention) {
  Json layers = Json::array();
  const auto patches = static_cast<std::size_t>(attention.rows * attention.columns);
  for (std::size_t layer = 0; layer < attention.layers.size(); ++layer) {
    Json heads = Json::array();
    for (std::size_t at = 0; at < attention.layers[layer].size(); at += patches) {
      heads.push_back(map_json(std::span(attention.layers[layer]).subspan(at, patches)));
    }
    layers.push_back({{"heads", std::move(heads)},
                      {"mean", map_json(attention.mean(layer))},
                      {"roll_out", map_json(attention.roll_out[layer])}});
  }
  const ImageShape& shape = attention.picture.shape;
  const std::string_view pixels(reinterpret_cast<const char*>(attention.picture.pixels.data()),
                                attention.picture.pixels.size());
  const Json data{{"name", printable(attention.name)},
                  {"class_token", attention.has_class_token},
                  {"height", shape.height},
                  {"width", shape.width},
                  {"channels", shape.channels},
                  {"pixels", base64(pixels)},
                  {"rows", attention.rows},
                  {"columns", attention.columns},
                  {"labels", labels_list(attention)},
                  {"layers", std::move(layers)}};
  constexpr std::string_view kPlace = "__DATA__";
  const std::size_t at = kImageAttentionPage.find(kPlace);
  return fmt::format("{}{}{}", kImageAttentionPage.substr(0, at), for_script(data.dump()),
                     kImageAttentionPage.substr(at + kPlace.size()));
}

std::string image_attention_json(const ImageAttention& attention) {
  const Json json{{"image", attention.name},          {"rows", attention.rows},
                  {"columns", attention.columns},     {"heads", attention.heads},
                  {"labels", labels_list(attention)}, {"layers", attention.layers},
                  {"roll_out", attention.roll_out}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace yona
