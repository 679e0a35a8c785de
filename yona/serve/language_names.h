// What a language is called.
#pragma once

#include <string>

namespace yona::serve {

// "German" of "de", "Chinese (traditional)" of "zt", in English, by ICU; the code itself where it
// has no name.
std::string language_name(const std::string& code);

}  // namespace yona::serve
