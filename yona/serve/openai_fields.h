// The fields of OpenAI's API that are understood: tables that requests are read by, and that
// /openapi.json is made from.
#pragma once

#include "yona/serve/fields.h"

namespace yona::serve {

Fields completion_fields();
Fields completion_answer();
Fields prompt_attention_fields();
Fields prompt_attention_answer();
Fields chat_fields();
Fields chat_answer();
// {"error": {"message", "type", "param", "code"}}
Fields openai_error_answer();
// Of a model in the list of /v1/models, beside yona's own list.
Fields openai_model_fields();

}  // namespace yona::serve
