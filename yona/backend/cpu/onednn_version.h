// Which oneDNN computes the products: another version may round otherwise.
#pragma once

#include <string>

namespace yona {

std::string onednn_version();  // "3.4.1"

}  // namespace yona
