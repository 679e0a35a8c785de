#include "yona/models/token_tables.h"

namespace yona {

TokenTables::TokenTables(const Seq2SeqConfig& config) {
  const auto make = [&](std::unique_ptr<TokenTable>& table, const char* name, bool there,
                        std::int64_t vocabulary) {
    if (there) {
      table = std::make_unique<TokenTable>(vocabulary, config.d_model);
      add(name, *table);
    }
  };
  const bool shares = config.tying == Tying::all || config.tying == Tying::inputs;
  make(shared_, "shared", shares, config.source_vocabulary);
  make(source_, "encoder.embedding", !shares, config.source_vocabulary);
  make(target_, "decoder.embedding", !shares, config.target_vocabulary);
  make(projection_, "projection", config.tying == Tying::none || config.tying == Tying::inputs,
       config.target_vocabulary);
}

SequenceShape seq2seq_shape(const Seq2SeqConfig& config) {
  return {.source_vocabulary = config.source_vocabulary,
          .target_vocabulary = config.target_vocabulary,
          .outputs = config.target_vocabulary - 1,  // without <pad>, the last
          .max_positions = longest_sentence(config),
          .decoder_layers = config.decoder_layers,
          .start_id = static_cast<std::int32_t>(config.target_vocabulary - 1),
          .plain_projection = true,
          .uploads_in_steps = true};  // which rows go on is looked up on the host
}

}  // namespace yona
