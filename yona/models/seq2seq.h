// An encoder-decoder of any architecture, by its config.
#pragma once

#include <memory>

#include "yona/models/seq2seq_config.h"
#include "yona/models/sequence_model.h"

namespace yona {

std::unique_ptr<SequenceModel> make_seq2seq(const Seq2SeqConfig& config);

}  // namespace yona
