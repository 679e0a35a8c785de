// What a layer costs on one sentence: the time and memory of forward and backward, and the time of
// one more token in decoding.
#pragma once

#include "yona/study/layer_kinds.h"
#include "yona/study/study.h"

namespace yona {

struct LayerCosts {
  double training_ms = 0;  // forward and backward, all n tokens
  double training_mb = 0;  // activations and gradients, without the weights
  double decoding_us = 0;  // of token n, the n - 1 before it in the cache
};

// Medians of repeated steps. Throws Interrupted when it was asked to stop.
LayerCosts layer_costs(const LayerKind& kind, std::int64_t length, std::int64_t width,
                       const StudySetting& setting);

}  // namespace yona
