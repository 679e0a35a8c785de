// OpenAI's API for language models: /v1/completions and /v1/chat/completions, as its clients ask.
#pragma once

#include <string_view>
#include <vector>

#include "yona/serve/api_host.h"
#include "yona/serve/router.h"

namespace yona::serve {

// `host` must outlive the routes, and have a generation service.
std::vector<Route> openai_routes(const ApiHost& host);

// The answer of /v1/models: OpenAI's list under "data", and yona's own under "models".
Json models_list(const ApiHost& host);
// Of /v1/models/NAME: the model's entry of that list. Throws HttpError 404.
Json model_entry(const ApiHost& host, std::string_view name);

}  // namespace yona::serve
