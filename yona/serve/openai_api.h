// OpenAI's API for language models: /v1/completions and /v1/chat/completions, as its clients ask.
#pragma once

#include <vector>

#include "yona/serve/api_host.h"
#include "yona/serve/router.h"

namespace yona::serve {

// `host` must outlive the routes, and have a generation service.
std::vector<Route> openai_routes(const ApiHost& host);

// The answer of /v1/models: OpenAI's list under "data", and yona's own under "models".
Json models_list(const ApiHost& host);

}  // namespace yona::serve
