// Converts a request of OpenAI's API into a job.
#pragma once

#include <memory>

#include "yona/serve/api_host.h"
#include "yona/serve/fields.h"
#include "yona/serve/generation_service.h"

namespace yona::serve {

// The model that a request names, or the only one. Throws HttpError 404 naming what there is.
GeneratorSummary chosen_generator(const GenerationService& service, const RequestFields& fields);

// Throws HttpError 400 naming the field. Without model, deadline and what is called.
std::shared_ptr<GenerationJob> completion_job(const RequestFields& fields);
std::shared_ptr<GenerationJob> chat_job(const RequestFields& fields);

// What every job has: its model, its deadline and its client, who may ask for so much. Throws
// HttpError 400 for a text that is too long, and as ApiKeys::admit() does.
void complete_job(const ApiHost& host, const Exchange& exchange, const RequestFields& fields,
                  const GeneratorSummary& model, GenerationJob& job);

// Characters of everything that is read.
std::int64_t characters_of(const GenerationJob& job);

}  // namespace yona::serve
