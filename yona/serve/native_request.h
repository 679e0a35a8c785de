// Requests of yona's own API: which model they mean, and the job that they are.
#pragma once

#include <memory>
#include <vector>

#include "yona/serve/api_host.h"
#include "yona/serve/fields.h"
#include "yona/serve/native_answer.h"

namespace yona::serve {

// By name, by languages, by what the text seems to be; or the only one there is. Throws HttpError
// where that is none, or is not said.
ModelSummary chosen_model(const ApiHost& host, const RequestFields& fields,
                          const std::string& text);

// How the texts are cut into sentences.
Split split_of(const RequestFields& fields);

// The job of the request's texts, without anybody to answer to; what it says of the answer is put
// into `wanted`. Throws HttpError 400 where fields do not go together.
std::shared_ptr<TranslationJob> job_for(const ApiHost& host, const RequestFields& fields,
                                        const Texts& texts, WantedAnswer& wanted);

}  // namespace yona::serve
