// A translation model as its folder describes it, in any supported format: the Transformer, and
// what its files say besides. io/ turns it into Hugging Face's config.json and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "yona/base/json.h"
#include "yona/models/seq2seq_config.h"

namespace yona {

struct ModelDescription {
  Seq2SeqConfig config{};
  std::string family{};           // the model_type of the config.json it came from; empty: yona's
  bool shared_vocabulary = true;  // the same pieces have the same ids on both sides
  std::int64_t eos_id = 0;
  std::int64_t unk_id = 1;
  std::int64_t pad_id = -1;  // -1: the last id of the target vocabulary
  std::string source_language{};
  std::string target_language{};
  std::string vocabulary{};          // SubwordPair::fingerprint(); empty: not known
  std::string task = "translation";  // what it was trained for: see tasks/task_kind.h

  std::int64_t pad() const { return pad_id < 0 ? config.target_vocabulary - 1 : pad_id; }
  std::int64_t decoder_start() const {
    return config.departures.start_id < 0 ? pad() : config.departures.start_id;
  }

  bool operator==(const ModelDescription&) const = default;
};

// Every field of the model (transformer_fields()) and of the description under its own name, the
// task only where it is another than translation, and the architecture with its fields only where
// it is another than the Transformer; the two are inverse to each other. Head sizes that follow
// from d_model are written as numbers.
Json to_json(const ModelDescription& description);

// Fields that are absent keep their defaults. Throws FormatError, beginning with `where` (a file),
// for an unknown key, a wrong type, or a value that no model can have.
ModelDescription description_from_json(const Json& json, std::string_view where);

}  // namespace yona
