#include "yona/serve/language_names.h"

#include <unicode/locid.h>
#include <unicode/unistr.h>

namespace yona::serve {

std::string language_name(const std::string& code) {
  if (code == "zt") {  // LibreTranslate's code
    return "Chinese (traditional)";
  }
  icu::UnicodeString name;
  icu::Locale(code.c_str()).getDisplayName(icu::Locale::getEnglish(), name);
  std::string text;
  name.toUTF8String(text);
  return text.empty() || code.empty() ? code : text;
}

}  // namespace yona::serve
