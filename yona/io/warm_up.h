// A model made ready to answer: what is read from its files at first use is read now.
#pragma once

#include "yona/backend/backend.h"
#include "yona/io/translation_model.h"
#include "yona/models/bert.h"
#include "yona/models/causal_lm.h"

namespace yona {

// Runs one token through the model, which asks for every matrix that products and look-ups use, as
// they use it. Afterwards the model needs its files no more. Throws what reading them throws.
void warm_up(const TranslationModel& model, Backend& backend);
// Of models that are bound to weights on this backend; of an encoder with the heads that it has.
void warm_up(const CausalLm& model, Backend& backend);
void warm_up(const Bert& model, Backend& backend);

}  // namespace yona
