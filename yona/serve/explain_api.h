// /v1/explain for the prompt of a language model. The same route explains a sentence of a
// translation model: which of the two a request means follows from its fields.
#pragma once

#include <memory>

#include "yona/serve/api_host.h"
#include "yona/serve/fields.h"

namespace yona::serve {

// Does the request have a "prompt", and not "q"? Throws HttpError 400 where it has both or neither,
// where the other kind of model is named, and for fields that a prompt cannot have.
bool explains_prompt(const ApiHost& host, const RequestFields& fields);

// Answers with one step of a language model through the prompt.
void explain_prompt(const ApiHost& host, const std::shared_ptr<Exchange>& exchange,
                    const RequestFields& fields);

}  // namespace yona::serve
