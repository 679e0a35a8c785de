// What LibreTranslate's API has around translation: the settings that a frontend asks for, and
// suggestions of better translations.
#pragma once

#include <vector>

#include "yona/serve/api_host.h"
#include "yona/serve/router.h"

namespace yona::serve {

// /frontend/settings and /suggest. The host must outlive the routes.
std::vector<Route> libretranslate_frontend_routes(const ApiHost& host);

}  // namespace yona::serve
