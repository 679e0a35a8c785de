// JSON for the whole project: nlohmann's library, keys kept in the order they were written.
#pragma once

#include <nlohmann/json.hpp>

namespace yona {

using Json = nlohmann::ordered_json;

}  // namespace yona
