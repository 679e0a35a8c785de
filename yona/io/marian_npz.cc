// What an option must be is what yona's Transformer does; Marian's others (averaging or recurrent
// decoders, tied layers, factors …) are named when a model has them.

#include "yona/io/marian_npz.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "yona/base/error.h"
#include "yona/io/foreign_config.h"
#include "yona/io/weight_copy.h"
#include "yona/io/yaml_json.h"

namespace yona {

namespace {

Json model_options(const NpzFile& file, const std::string& name) {
  const NamedArray* text = file.find("special:model.yml");
  check<FormatError>(text != nullptr && size_of(text->dtype) == 1,
                     "{}: not a Marian model: it has no special:model.yml", name);
  std::string_view bytes(static_cast<const char*>(text->data), text->bytes());
  bytes = bytes.substr(0, bytes.find('\0'));
  Json options = parse_yaml_json(bytes, name + ": special:model.yml");
  check<FormatError>(options.is_object(), "{}: special:model.yml is not a map", name);
  return options;
}

// "" or null where YAML has nothing.
std::string word(const ForeignConfig& options, const char* key) {
  return options.has(key) ? options.get<std::string>(key) : "";
}

void refuse_what_differs(const ForeignConfig& options) {
  options.must_be("type", "transformer");
  options.must_be("transformer-decoder-autoreg", "self-attention");
  options.must_be("transformer-ffn-depth", 2);
  options.must_be("transformer-postprocess-emb", "d");
  options.must_be("transformer-attention-mask", "default");
  for (const char* key : {"transformer-no-projection", "transformer-train-position-embeddings",
                          "transformer-train-positions", "transformer-disable-position-embeddings",
                          "ulr", "right-left", "transformer-no-bias", "transformer-no-affine"}) {
    options.must_be(key, false);
  }
  for (const char* key : {"lemma-dim-emb", "transformer-decoder-ffn-depth"}) {
    check<FormatError>(options.size(key, 0) == 0, "{}: \"{}\" is not supported", options.where(),
                       key);
  }
  for (const char* key : {"transformer-tied-layers", "input-types"}) {
    check<FormatError>(!options.has(key) || options.get<Json>(key).empty(),
                       "{}: \"{}\" is not supported", options.where(), key);
  }
}

// Marian's d, a and n: dropout, add the residual, normalise.
NormPosition norm_position(const ForeignConfig& options) {
  const std::string before = word(options, "transformer-preprocess");
  const std::string after = word(options, "transformer-postprocess");
  const std::string top = word(options, "transformer-postprocess-top");
  if (before.empty() && top.empty() && (after == "dan" || after == "an")) {
    return NormPosition::post;
  }
  check<FormatError>(
      before == "n" && (after == "da" || after == "a") && top == "n",
      "{}: \"transformer-preprocess\" '{}', \"transformer-postprocess\" '{}' and "
      "\"transformer-postprocess-top\" '{}' are neither post-norm (\"\", dan, \"\") nor pre-norm "
      "(n, da, n)",
      options.where(), before, after, top);
  return NormPosition::pre;
}

Tying tying(const ForeignConfig& options) {
  const bool all = options.get<bool>("tied-embeddings-all", false);
  const bool inputs = all || options.get<bool>("tied-embeddings-src", false);
  const bool output = all || options.get<bool>("tied-embeddings", false);
  return inputs ? (output ? Tying::all : Tying::inputs) : (output ? Tying::target : Tying::none);
}

FeedForwardActivation activation(const ForeignConfig& options) {
  const std::string name = options.get<std::string>("transformer-ffn-activation", "swish");
  check<FormatError>(name == "relu" || name == "swish",
                     "{}: \"transformer-ffn-activation\" {} is not supported; relu and swish are",
                     options.where(), name);
  return name == "swish" ? FeedForwardActivation::silu : FeedForwardActivation::relu;
}

// Marian's slowest wave is 10000 times as long as its fastest, exactly: 10000^(i / (n − 1)) for n
// waves, where the paper has 10000^(i / n).
double position_base(std::int64_t d_model) {
  const double waves = static_cast<double>(d_model) / 2.0;  // d_model is even
  return std::pow(10000.0, waves / (waves - 1));
}

std::vector<float> turned(const std::vector<float>& values, std::int64_t rows,
                          std::int64_t columns) {
  std::vector<float> out(values.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      out[static_cast<std::size_t>(column * rows + row)] =
          values[static_cast<std::size_t>(row * columns + column)];
    }
  }
  return out;
}

}  // namespace

MarianNpz::MarianNpz(const std::filesystem::path& path) : file_(path), name_(path.string()) {
  const Json json = model_options(file_, name_);
  const ForeignConfig options(json, name_);
  refuse_what_differs(options);
  ModelDescription& d = description_;
  d.family = "marian";
  d.config.norm = norm_position(options);
  d.config.tying = tying(options);
  d.config.activation = activation(options);
  d.config.departures.norm_epsilon = 1e-9;
  d.config.dropout = 0.1;
  read_sizes(json);
  d.config.position_base = position_base(d.config.d_model);
  d.config.departures.projection_bias = file_.find("decoder_ff_logit_out_b") != nullptr;
  d.config.departures.start_id = -1;
}

void MarianNpz::read_sizes(const Json& json) {
  const ForeignConfig options(json, name_);
  TransformerConfig& model = description_.config;
  model.d_model = options.size("dim-emb");
  model.heads = options.size("transformer-heads");
  model.d_ff = options.size("transformer-dim-ffn");
  model.encoder_layers = options.size("enc-depth");
  model.decoder_layers = options.size("dec-depth");
  const int decoder_ff = options.size("transformer-decoder-dim-ffn", 0);
  check<FormatError>(decoder_ff == 0 || decoder_ff == model.d_ff,
                     "{}: \"transformer-decoder-dim-ffn\" other than \"transformer-dim-ffn\" is "
                     "not supported",
                     name_);
  check<FormatError>(model.d_model >= 4 && model.d_model % 2 == 0 && model.heads >= 1 &&
                         model.d_model % model.heads == 0 && model.d_ff >= 1 &&
                         model.encoder_layers >= 1 && model.decoder_layers >= 1,
                     "{}: \"dim-emb\" {}, \"transformer-heads\" {}, \"transformer-dim-ffn\" {}, "
                     "\"enc-depth\" {} and \"dec-depth\" {} are not sizes of a Transformer",
                     name_, model.d_model, model.heads, model.d_ff, model.encoder_layers,
                     model.decoder_layers);
  model.d_k = model.d_v = model.d_model / model.heads;
  const bool is_shared = model.tying == Tying::all || model.tying == Tying::inputs;
  const auto rows_of = [&](const char* table) {
    const NamedArray* array = file_.find(table);
    check<FormatError>(array != nullptr && array->shape.rank() == 2,
                       "{}: the weights have no table '{}'", name_, table);
    return array->shape[0];
  };
  model.source_vocabulary = rows_of(is_shared ? "Wemb" : "encoder_Wemb") + 1;  // and <pad>
  model.target_vocabulary = is_shared ? model.source_vocabulary : rows_of("decoder_Wemb") + 1;
  description_.shared_vocabulary = is_shared;
}

MarianNpz::Source MarianNpz::layer_source(const std::string& parameter) const {
  // side.layers.N.part.what
  const std::size_t number = parameter.find(".layers.");
  const std::string_view whole = parameter;
  const std::string_view side = whole.substr(0, number);
  std::string_view rest = whole.substr(number + 8);
  int layer = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), layer);
  if (error != std::errc()) {
    return {};
  }
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  const std::string begin = fmt::format("{}_l{}_", side, layer + 1);
  const std::string norm_end = description_.config.norm == NormPosition::pre ? "_pre" : "";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kParts{
      {{".self_attention", "self"}, {".cross_attention", "context"}, {".feed_forward", "ffn"}}};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kProducts{
      {{".query", "q"},
       {".key", "k"},
       {".value", "v"},
       {".output", "o"},
       {".inner", "1"},
       {".outer", "2"}}};
  for (const auto& [ours, theirs] : kParts) {
    if (!rest.starts_with(ours)) {
      continue;
    }
    rest.remove_prefix(ours.size());
    if (rest == "_norm.weight" || rest == "_norm.bias") {
      return {fmt::format("{}{}_{}_ln_{}{}", begin, theirs, theirs == "ffn" ? "ffn" : "Wo",
                          rest == "_norm.weight" ? "scale" : "bias", norm_end)};
    }
    for (const auto& [name, letter] : kProducts) {
      if (rest.starts_with(name)) {
        const bool is_weight = rest.ends_with(".weight");
        return {fmt::format("{}{}_{}{}", begin, theirs, is_weight ? "W" : "b", letter), is_weight};
      }
    }
  }
  return {};
}

MarianNpz::Source MarianNpz::source_of(const std::string& parameter) const {
  if (parameter.find(".layers.") != std::string::npos) {
    return layer_source(parameter);
  }
  if (parameter == "shared.weight") {
    return {.name = "Wemb", .has_pad = true};
  }
  if (parameter == "encoder.embedding.weight" || parameter == "decoder.embedding.weight") {
    return {.name = parameter.substr(0, 7) + "_Wemb", .has_pad = true};
  }
  if (parameter == "projection.weight") {  // older models keep it the other way round
    return file_.find("decoder_ff_logit_out_Wt") != nullptr
               ? Source{.name = "decoder_ff_logit_out_Wt", .has_pad = true}
               : Source{.name = "decoder_ff_logit_out_W", .is_turned = true, .has_pad = true};
  }
  if (parameter == "projection.bias") {
    return {.name = "decoder_ff_logit_out_b"};
  }
  for (const char* side : {"encoder", "decoder"}) {
    for (const auto& [ours, theirs] :
         {std::pair{".norm.weight", "_top_ln_scale"}, std::pair{".norm.bias", "_top_ln_bias"}}) {
      if (parameter == std::string(side) + ours) {
        return {.name = std::string(side) + theirs};
      }
    }
  }
  return {};
}

std::optional<NamedArray> MarianNpz::find(const std::string& parameter) const {
  const Source source = source_of(parameter);
  const NamedArray* array = source.name.empty() ? nullptr : file_.find(source.name);
  if (array == nullptr) {
    return std::nullopt;
  }
  auto made = made_.find(parameter);
  if (made == made_.end()) {
    Array own{array->shape, floats_of(*array)};
    const bool is_row = own.shape.rank() == 2 && own.shape[0] == 1 && !source.has_pad;
    if (is_row) {  // Marian's vectors are [1, n]
      own.shape = Shape{own.shape[1]};
    }
    if (source.is_turned && own.shape.rank() == 2) {
      own.values = turned(own.values, own.shape[0], own.shape[1]);
      own.shape = Shape{own.shape[1], own.shape[0]};
    }
    if (source.has_pad && own.shape.rank() == 2) {
      own.shape = Shape{own.shape[0] + 1, own.shape[1]};
      own.values.resize(static_cast<std::size_t>(own.shape.elements()));
    }
    made = made_.emplace(parameter, std::move(own)).first;
  }
  return NamedArray{parameter, DType::f32, made->second.shape, made->second.values.data()};
}

}  // namespace yona
