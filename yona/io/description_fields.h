// The one table of a translation model's fields: the key in config.json, the field of
// ModelDescription, and that of the model itself. Reading and writing config.json
// (model_description.cc), describe() and model_info() (translation_model.cc) all follow it, so a
// field is copied nowhere else.
#pragma once

#include "yona/io/model_description.h"
#include "yona/io/translation_model.h"

namespace yona {

// In place of the model's field, for what files alone have.
struct NotInModel {};
inline constexpr NotInModel kNotInModel{};

// Calls visit(key, field of d, field of info) for each, in the order of config.json. Either may be
// const.
template <class Description, class Info, class Visit>
void for_each_field(Description& d, Info& info, const Visit& visit) {
  auto& config = info.config;
  auto& departures = config.departures;
  visit("encoder_layers", d.encoder_layers, config.encoder_layers);
  visit("decoder_layers", d.decoder_layers, config.decoder_layers);
  visit("d_model", d.d_model, config.d_model);
  visit("d_ff", d.d_ff, config.d_ff);
  visit("heads", d.heads, config.heads);
  visit("d_k", d.d_k, config.d_k);
  visit("d_v", d.d_v, config.d_v);
  visit("dropout", d.dropout, config.dropout);
  visit("attention_dropout", d.attention_dropout, config.attention_dropout);
  visit("activation_dropout", d.activation_dropout, config.activation_dropout);
  visit("activation", d.activation, config.activation);
  visit("positions", d.positions, config.positions);
  visit("norm", d.norm, config.norm);
  visit("attention", d.attention, config.attention);
  visit("tying", d.tying, config.tying);
  visit("position_base", d.position_base, config.position_base);
  visit("scale_embedding", d.scale_embedding, departures.scaled_embedding);
  visit("projection_bias", d.projection_bias, departures.projection_bias);
  visit("padding", d.padding, departures.padding);
  visit("norm_kind", d.norm_kind, departures.norm_kind);
  visit("norm_epsilon", d.norm_epsilon, departures.norm_epsilon);
  visit("embedding_norm", d.embedding_norm, departures.embedding_norm);
  visit("gated", d.gated, departures.gated);
  visit("biases", d.biases, departures.biases);
  visit("scale_output", d.scale_output, departures.scaled_output);
  visit("first_position", d.first_position, departures.first_position);
  visit("relative_buckets", d.relative_buckets, departures.relative_buckets);
  visit("relative_reach", d.relative_reach, departures.relative_reach);
  visit("family", d.family, info.family);
  visit("shared_vocabulary", d.shared_vocabulary, info.shared_vocabulary);
  visit("source_vocab", d.source_vocab, config.source_vocabulary);
  visit("target_vocab", d.target_vocab, config.target_vocabulary);
  visit("max_positions", d.max_positions, config.max_positions);
  visit("eos_id", d.eos_id, info.end_id);
  visit("unk_id", d.unk_id, kNotInModel);
  visit("pad_id", d.pad_id, info.pad_id);
  visit("decoder_start_id", d.decoder_start_id, departures.start_id);
  visit("source_language", d.source_language, info.source_language);
  visit("target_language", d.target_language, info.target_language);
  visit("vocabulary", d.vocabulary, info.vocabulary);
  visit("task", d.task, info.task);
  visit("arch", d.arch, config.arch);
  visit("cell", d.cell, config.cell);
  visit("alignment", d.alignment, config.alignment);
  visit("kernel_width", d.kernel_width, config.kernel_width);
  visit("longest_dilation", d.longest_dilation, config.longest_dilation);
}

}  // namespace yona
