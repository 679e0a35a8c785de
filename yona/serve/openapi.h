// The description of the API in OpenAPI 3.0, made from the router's own table.
#pragma once

#include "yona/base/json.h"
#include "yona/serve/router.h"

namespace yona::serve {

Json openapi_description(const Router& router);

}  // namespace yona::serve
