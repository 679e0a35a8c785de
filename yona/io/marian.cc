// MarianMTModel: post-norm, sinusoids, three or two embeddings shared, or none.

#include "yona/io/hf_family.h"

namespace yona {

namespace {

void read_marian(const ForeignConfig& config, ModelDescription& d) {
  read_bart_config(config, d);
  config.must_be("static_position_embeddings", true);
  config.must_be("normalize_embedding", false);
  config.must_be("normalize_before", false);
  config.must_be("add_final_layer_norm", false);
  d.config.norm = NormPosition::post;
  d.config.target_vocabulary =
      config.size("decoder_vocab_size", static_cast<int>(d.config.source_vocabulary));
  d.shared_vocabulary = config.get<bool>("share_encoder_decoder_embeddings", true);
  check<FormatError>(
      !d.shared_vocabulary || d.config.source_vocabulary == d.config.target_vocabulary,
      "{}: \"vocab_size\" {} and \"decoder_vocab_size\" {} differ, but "
      "\"share_encoder_decoder_embeddings\" is true",
      config.where(), d.config.source_vocabulary, d.config.target_vocabulary);
  if (!d.shared_vocabulary) {
    d.config.tying = d.config.tying == Tying::all ? Tying::target : Tying::none;
  }
}

std::string marian_obstacle(const ModelDescription& description) {
  return description.config.norm != NormPosition::post ? "Marian models are post-norm"
                                                       : common_obstacle(description);
}

// normalize_before and normalize_embedding are for CTranslate2's converter. One embedding for both
// stacks with a separate projection cannot be said: it is written twice.
Json marian_config(const ModelDescription& d) {
  return {{"decoder_vocab_size", d.config.target_vocabulary},
          {"share_encoder_decoder_embeddings", d.config.tying == Tying::all},
          {"tie_word_embeddings", d.config.tying == Tying::all || d.config.tying == Tying::target},
          {"normalize_before", false}};
}

}  // namespace

const HfFamily& marian_family() {
  static const HfFamily kFamily = {.model_type = "marian",
                                   .architecture = "MarianMTModel",
                                   .names = bart_names(),
                                   .read = read_marian,
                                   .obstacle = marian_obstacle,
                                   .config = marian_config};
  return kFamily;
}

}  // namespace yona
