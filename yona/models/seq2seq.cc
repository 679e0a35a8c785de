#include "yona/models/seq2seq.h"

#include "yona/models/bytenet.h"
#include "yona/models/conv_s2s.h"
#include "yona/models/feed_forward_s2s.h"
#include "yona/models/rnn.h"
#include "yona/models/transformer.h"

namespace yona {

std::unique_ptr<SequenceModel> make_seq2seq(const Seq2SeqConfig& config) {
  switch (config.arch) {
    case Arch::rnn:
      return std::make_unique<Rnn>(config);
    case Arch::convs2s:
      return std::make_unique<ConvS2S>(config);
    case Arch::bytenet:
      return std::make_unique<ByteNet>(config);
    case Arch::feed_forward:
      return std::make_unique<FeedForwardS2S>(config);
    case Arch::transformer:
      break;
  }
  return std::make_unique<Transformer>(config);
}

}  // namespace yona
