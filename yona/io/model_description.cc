// One table of keys serves both directions, so that writing and reading cannot drift apart.

#include "yona/io/model_description.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/config/config_json.h"
#include "yona/config/config_section.h"
#include "yona/models/attention_keys.h"
#include "yona/models/seq2seq_keys.h"

namespace yona {

namespace {

ConfigKeys<ModelDescription> make_description_keys() {
  using D = ModelDescription;
  constexpr OnResume kFixed = OnResume::fixed;
  constexpr IntegerRange kId{-1, 1 << 24};
  ConfigKeys<D> keys = lift("", &D::config, as_seq2seq(transformer_fields()));
  append(keys, lift("", &D::config, arch_keys()));
  append(keys, {config_key("family", &D::family, text_codec(), kFixed,
                           "model_type of the config.json that it came from"),
                flag("shared_vocabulary", &D::shared_vocabulary, kFixed,
                     "the same pieces have the same ids on both sides"),
                integer("eos_id", &D::eos_id, kId, kFixed, "id of </s>"),
                integer("unk_id", &D::unk_id, kId, kFixed, "id of <unk>"),
                integer("pad_id", &D::pad_id, kId, kFixed, "id of <pad>; -1 is the last"),
                config_key("source_language", &D::source_language, text_codec(), kFixed,
                           "language of the source"),
                config_key("target_language", &D::target_language, text_codec(), kFixed,
                           "language of the target"),
                config_key("vocabulary", &D::vocabulary, text_codec(), kFixed,
                           "fingerprint of the sub-words"),
                config_key("task", &D::task, text_codec(), kFixed, "what it was trained for")});
  return keys;
}

const ConfigKeys<ModelDescription>& description_keys() {
  static const ConfigKeys<ModelDescription> keys = make_description_keys();
  return keys;
}

// Those that follow from d_model as numbers. A family's file may say 0 heads; that is refused
// later.
void fill_head_sizes(TransformerConfig& config) {
  if (config.heads > 0) {
    const HeadShape heads = config.head_shape();
    config.d_k = heads.d_k;
    config.d_v = heads.d_v;
  }
}

}  // namespace

Json to_json(const ModelDescription& description) {
  ModelDescription written = description;
  fill_head_sizes(written.config);
  Json json = keys_to_json(written, description_keys());
  if (description.task == ModelDescription().task) {
    json.erase("task");  // versions before 0.2 do not know the key
  }
  // Nor those of other attentions and architectures, which mean nothing here.
  const Json unset = keys_to_json(ModelDescription(), description_keys());
  const auto erase_unset = [&](const auto& keys) {
    for (const auto& key : keys) {
      if (json[key.name] == unset[key.name]) {
        json.erase(key.name);
      }
    }
  };
  if (is_exact(description.config.attention)) {
    erase_unset(attention_size_keys());
  }
  if (description.config.arch == Arch::transformer) {
    erase_unset(arch_keys());
  }
  if (!description.config.reversible) {
    json.erase("reversible");
  }
  return json;
}

ModelDescription description_from_json(const Json& json, std::string_view where) {
  check_json_names(json, names_of(description_keys()), where);
  ModelDescription d;
  keys_from_json(d, json, description_keys(), where);
  fill_head_sizes(d.config);
  const std::int64_t highest = std::max({d.eos_id, d.unk_id, d.pad(), d.decoder_start()});
  check<FormatError>(highest < d.config.target_vocabulary,
                     "{}: token id {} is outside the vocabulary of {}", where, highest,
                     d.config.target_vocabulary);
  return d;
}

}  // namespace yona
