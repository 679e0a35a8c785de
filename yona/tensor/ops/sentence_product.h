// A product along the tokens of each sentence: what makes sentences of any length equally long.
#pragma once

#include "yona/tensor/context.h"
#include "yona/tensor/ragged.h"

namespace yona {

// For a sentence x_s of n_s tokens [n_s, d] and weight [k, n]: y_s = weight[:, 0 … n_s) · x_s. The
// results of all sentences below each other: [S·k, d]. Throws InvalidArgument when a sentence has
// more than n tokens. Reads where sentences begin on the host: on a GPU it waits for that.
Tensor sentence_product(const Tensor& weight, const Ragged& x, Context& c);

}  // namespace yona
