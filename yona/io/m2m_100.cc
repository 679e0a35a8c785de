// M2M100ForConditionalGeneration, which NLLB-200 is too: pre-norm with a norm after each stack, and
// sinusoids as fairseq has them.
//
// fairseq's wave i has the frequency 10000^(-i/(d/2 - 1)), so that the last is 1/10000 itself: the
// paper's 10000^(-i/(d/2)) with another base. Positions are numbered from the id of <pad> + 1.

#include <cmath>

#include "yona/io/hf_family.h"

namespace yona {

namespace {

void read_m2m_100(const ForeignConfig& config, ModelDescription& d) {
  read_bart_config(config, d);
  config.must_be("static_position_embeddings", true);
  config.must_be("normalize_embedding", false);
  config.must_be("normalize_before", true);
  config.must_be("add_final_layer_norm", true);
  d.config.norm = NormPosition::pre;
  d.config.departures.scaled_embedding = config.get<bool>("scale_embedding", true);
  check<FormatError>(d.config.d_model % 2 == 0 && d.config.d_model > 2,
                     "{}: \"d_model\" is {}; fairseq's sinusoids need an even number above 2",
                     config.where(), d.config.d_model);
  const double half = static_cast<double>(d.config.d_model) / 2.0;
  d.config.position_base = std::pow(10000.0, half / (half - 1.0));
  d.config.departures.first_position = d.pad_id + 1;
}

}  // namespace

const HfFamily& m2m_100_family() {
  static const HfFamily kFamily = {.model_type = "m2m_100",
                                   .architecture = "M2M100ForConditionalGeneration",
                                   .names = bart_names(),
                                   .read = read_m2m_100,
                                   .has_final_bias = false};
  return kFamily;
}

}  // namespace yona
