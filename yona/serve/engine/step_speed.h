// How much of a model is computed at once, by the time that its steps take on this machine: a batch
// can be preempted between layers and steps alone, so none of them may take long.
#pragma once

#include "yona/decode/translator.h"

namespace yona::serve {

// Multiplications of a layer or output layer that are computed at once, until something was
// measured: about 10 ms of int8, or 50 ms of f32 without AVX-512, on two CPU cores.
inline constexpr std::int64_t kUsualProducts = 1'500'000'000;

// Multiplications for a row of the larger of a layer and the output layer.
std::int64_t products_of_row(const TransformerConfig& config);

// So many that they take 25 ms, where `products` took `seconds`: half of what a step may take, for
// machines that do other things besides. From a quarter to four times the usual ones.
std::int64_t products_of_step(std::int64_t products, double seconds);

// By the longest part of a few real steps of a search with these options. Takes about as long as a
// short sentence. For CPUs.
std::int64_t measured_products(const TranslationModel& model, Backend& backend,
                               DecodeOptions options);

}  // namespace yona::serve
