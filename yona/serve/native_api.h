// yona's own API, /v1/…: what LibreTranslate's has no words for: n-best lists, scores, alignments,
// attention, prefixes, glossaries, translations as they come, and looks inside the model.
#pragma once

#include <vector>

#include "yona/serve/api_host.h"
#include "yona/serve/router.h"

namespace yona::serve {

// /v1/models, /v1/translate, /v1/beam and /v1/explain. The host must outlive the routes.
std::vector<Route> native_routes(const ApiHost& host);

}  // namespace yona::serve
