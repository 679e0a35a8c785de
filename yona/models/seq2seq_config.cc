#include "yona/models/seq2seq_config.h"

#include <algorithm>

#include "yona/base/enum_names.h"
#include "yona/base/error.h"

namespace yona {

HeadShape one_wide_head(const Seq2SeqConfig& config) {
  constexpr std::int64_t kWidest = 512;
  const std::int64_t width = std::min(config.d_model, kWidest);
  return {.heads = 1, .d_k = width, .d_v = width};
}

std::int64_t longest_sentence(const Seq2SeqConfig& config) {
  return config.arch == Arch::feed_forward ? std::min(config.input_length, config.max_positions)
                                           : config.max_positions;
}

void check_config(const Seq2SeqConfig& config) {
  auto shared = static_cast<const TransformerConfig&>(config);
  if (config.arch != Arch::transformer) {
    shared.heads = 1;  // what the others do not read
    shared.d_k = shared.d_v = 1;
  }
  check_config(shared);
  check(config.arch == Arch::transformer || config.departures.padding == Padding::barred,
        "model.arch: {} takes no <pad> as a token", enum_name(config.arch));
  const bool halves = config.arch == Arch::rnn || config.arch == Arch::bytenet;
  check(!halves || config.d_model % 2 == 0, "model.d_model: {} is odd; {}", config.d_model,
        config.arch == Arch::rnn ? "each direction of the encoder's rnn has half of it"
                                 : "bytenet's convolutions have half of it");
  const bool convolves = config.arch == Arch::convs2s || config.arch == Arch::bytenet;
  check(!convolves || config.kernel_width % 2 == 1,
        "model.kernel_width: {} is even; a token is in the middle of what the encoder's "
        "convolutions see",
        config.kernel_width);
}

}  // namespace yona
