#include "yona/models/seq2seq_keys.h"

#include <algorithm>
#include <string_view>

namespace yona {

namespace {

constexpr std::array kArchs{Arch::transformer, Arch::rnn, Arch::convs2s, Arch::bytenet,
                            Arch::feed_forward};

// Of the keys that not all architectures read: those that this one does.
std::vector<std::string_view> keys_read_by(Arch arch) {
  switch (arch) {
    case Arch::transformer:
      return {"d_ff",
              "heads",
              "d_k",
              "d_v",
              "attention_dropout",
              "activation_dropout",
              "activation",
              "norm",
              "attention",
              "window",
              "dilation",
              "block",
              "global_blocks",
              "random_blocks",
              "projected_keys",
              "features",
              "positions",
              "position_base"};
    case Arch::rnn:
      return {"cell", "alignment", "attention_dropout"};
    case Arch::convs2s:
      return {"kernel_width", "attention_dropout"};
    case Arch::bytenet:
      return {"kernel_width", "longest_dilation"};
    case Arch::feed_forward:
      return {"input_length", "kernel_width", "d_ff", "activation_dropout", "activation"};
  }
  return {};
}

}  // namespace

ConfigKeys<Seq2SeqConfig> arch_keys() {
  return {
      choice("arch", &Seq2SeqConfig::arch, OnResume::fixed,
             "the architecture: the paper's transformer, or one that it replaced"),
      choice("cell", &Seq2SeqConfig::cell, OnResume::fixed, "rnn: the recurrent units"),
      choice("alignment", &Seq2SeqConfig::alignment, OnResume::fixed,
             "rnn: the scores of the decoder's attention: Bahdanau's (additive) or Luong's "
             "(multiplicative); none has the encoder's last states alone"),
      integer("kernel_width", &Seq2SeqConfig::kernel_width, {1, 63}, OnResume::fixed,
              "convs2s, bytenet: tokens that a convolution sees; feed-forward: target tokens that "
              "the next one is predicted from"),
      integer("longest_dilation", &Seq2SeqConfig::longest_dilation, {1, 1024}, OnResume::fixed,
              "bytenet: the dilation doubles from layer to layer up to this, and begins again "
              "at 1"),
      integer("input_length", &Seq2SeqConfig::input_length, {1, 1024}, OnResume::fixed,
              "feed-forward: tokens of its input, and the longest sentence that it takes")};
}

ConfigKeys<Seq2SeqConfig> as_seq2seq(const ConfigKeys<TransformerConfig>& keys) {
  ConfigKeys<Seq2SeqConfig> all;
  all.reserve(keys.size());
  for (const ConfigKey<TransformerConfig>& key : keys) {
    all.push_back({key.name, key.expected, key.meaning, key.get, key.set, key.is_list, key.role,
                   key.on_resume, key.json_type});
  }
  return all;
}

ConfigKeys<Seq2SeqConfig> seq2seq_keys() {
  ConfigKeys<Seq2SeqConfig> keys = arch_keys();
  append(keys, as_seq2seq(transformer_keys()));
  return keys;
}

std::vector<std::string> unread_keys(const Seq2SeqConfig& config, const Seq2SeqConfig& preset) {
  const auto is_in = [](const std::vector<std::string_view>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::vector<std::string_view> read = keys_read_by(config.arch);
  std::vector<std::string> unread;
  for (const ConfigKey<Seq2SeqConfig>& key : seq2seq_keys()) {
    const bool is_special = std::any_of(kArchs.begin(), kArchs.end(), [&](Arch arch) {
      return is_in(keys_read_by(arch), key.name);
    });
    if (is_special && !is_in(read, key.name) && key.get(config) != key.get(preset)) {
      unread.push_back(key.name);
    }
  }
  return unread;
}

}  // namespace yona
