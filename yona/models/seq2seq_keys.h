// The keys model.* of a task whose model is an encoder-decoder of any architecture.
#pragma once

#include "yona/models/seq2seq_config.h"

namespace yona {

// Those that choose and describe another architecture than the Transformer.
ConfigKeys<Seq2SeqConfig> arch_keys();
// The Transformer's keys, and those that choose and describe another architecture.
ConfigKeys<Seq2SeqConfig> seq2seq_keys();

// Keys of what all architectures share, as keys of the whole.
ConfigKeys<Seq2SeqConfig> as_seq2seq(const ConfigKeys<TransformerConfig>& keys);

// The names of keys, without "model.", that the architecture of this config does not read though
// they are not what the preset gives them.
std::vector<std::string> unread_keys(const Seq2SeqConfig& config, const Seq2SeqConfig& preset);

}  // namespace yona
