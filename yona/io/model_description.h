// A model in neutral words: what a folder's config.json says about it, in any supported format.
// Models turn it into their own configuration; io/ turns it into Hugging Face's and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "yona/base/json.h"

namespace yona {

struct ModelDescription {
  int encoder_layers = 6;
  int decoder_layers = 6;
  int d_model = 512;
  int d_ff = 2048;
  int heads = 8;
  int d_k = 64;  // of one head
  int d_v = 64;
  double dropout = 0.1;
  double attention_dropout = 0;
  double activation_dropout = 0;
  std::string activation = "relu";       // relu | gelu | gelu_tanh | silu
  std::string positions = "sinusoidal";  // sinusoidal | learned | relative | none
  std::string norm = "post";             // post | pre
  std::string attention = "scaled";      // scaled | unscaled | additive
  std::string tying = "all";             // all | target (decoder input and output) | inputs | none
  double position_base = 10000;
  bool scale_embedding = true;   // by √d_model
  bool projection_bias = false;  // a bias on the logits besides the one that bars <pad>
  // Where published models depart from the paper: Departures in models/transformer_config.h.
  std::string padding = "barred";   // barred | ordinary
  std::string norm_kind = "layer";  // layer | rms
  double norm_epsilon = 1e-5;
  bool embedding_norm = false;
  bool gated = false;
  bool biases = true;
  bool scale_output = false;        // by 1/√d_model
  std::int64_t first_position = 0;  // of the sinusoids, or of a file's learned positions
  std::int64_t relative_buckets = 32;
  std::int64_t relative_reach = 128;
  std::string family;             // the model_type of the config.json it came from; empty: yona's
  bool shared_vocabulary = true;  // the same pieces have the same ids on both sides
  std::int64_t source_vocab = 0;  // <pad> included
  std::int64_t target_vocab = 0;
  std::int64_t max_positions = 1024;
  std::int64_t eos_id = 0;
  std::int64_t unk_id = 1;
  std::int64_t pad_id = -1;            // -1: the last id of the target vocabulary
  std::int64_t decoder_start_id = -1;  // -1: the same as <pad>
  std::string source_language;
  std::string target_language;
  std::string vocabulary;            // SubwordPair::fingerprint(); empty: not known
  std::string task = "translation";  // what it was trained for: see tasks/task_kind.h
  // Seq2SeqConfig in models/seq2seq_config.h.
  std::string arch = "transformer";
  std::string cell = "lstm";
  std::string alignment = "additive";
  std::int64_t kernel_width = 3;
  std::int64_t longest_dilation = 16;

  std::int64_t pad() const { return pad_id < 0 ? target_vocab - 1 : pad_id; }
  std::int64_t decoder_start() const { return decoder_start_id < 0 ? pad() : decoder_start_id; }

  bool operator==(const ModelDescription&) const = default;
};

// Every field under its own name, the task only where it is another than translation and the
// architecture with its fields only where it is another than the Transformer; the two are inverse
// to each other.
Json to_json(const ModelDescription& description);

// Fields that are absent keep their defaults. Throws FormatError, beginning with `where` (a file),
// for an unknown key, a wrong type, or a value that no model can have.
ModelDescription description_from_json(const Json& json, std::string_view where);

}  // namespace yona
