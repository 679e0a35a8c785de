// LibreTranslate's API, as its clients speak it: /translate, /languages, /detect and /health, with
// JSON or forms, and errors as {"error": "…"}.
#pragma once

#include <vector>

#include "yona/serve/api_host.h"
#include "yona/serve/router.h"

namespace yona::serve {

// The host must outlive the routes.
std::vector<Route> libretranslate_routes(const ApiHost& host);

}  // namespace yona::serve
