// OpenAI's /v1/embeddings, and /v1/classify in the same form: encoders and image classifiers.
#pragma once

#include <vector>

#include "yona/serve/api_host.h"
#include "yona/serve/router.h"

namespace yona::serve {

// `host` must outlive the routes, and have an encoder service.
std::vector<Route> encoder_routes(const ApiHost& host);

}  // namespace yona::serve
