// Requests of /v1/embeddings and /v1/classify: their fields, and the jobs that they ask for.
#pragma once

#include <memory>
#include <optional>

#include "yona/serve/encoder_service.h"
#include "yona/serve/fields.h"
#include "yona/serve/texts.h"

namespace yona::serve {

Fields embedding_fields();
Fields classify_fields();

// The model that a request names, or the only one. Throws HttpError 404 naming what there is.
EncoderSummary chosen_encoder(const EncoderService& service, const RequestFields& fields);

// Throws HttpError 400 naming the field, also for more texts or characters than the limits allow
// and for what the model cannot do. Without deadline and what is called.
std::shared_ptr<EncoderJob> embedding_job(const RequestFields& fields, const EncoderSummary& model,
                                          const TextLimits& limits);
std::shared_ptr<EncoderJob> classify_job(const RequestFields& fields, const EncoderSummary& model,
                                         const TextLimits& limits);

// Characters of the texts; a token counts as one.
std::int64_t characters_of(const EncoderJob& job);

}  // namespace yona::serve
