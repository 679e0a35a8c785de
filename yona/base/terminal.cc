#include "yona/base/terminal.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace yona {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (!value.empty()) {
      std::transform(value.begin(), value.end(), value.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      return value.find("utf-8") != value.npos || value.find("utf8") != value.npos;
    }
  }
  return false;
}

int terminal_columns(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return size.ws_col;
  }
  const int columns = std::atoi(environment("COLUMNS").c_str());  // NOLINT(cert-err34-c): 0 is fine
  return columns > 0 ? columns : 80;
}

Colours terminal_colours(int descriptor) {
  const std::string term = environment("TERM");
  if (::isatty(descriptor) != 1 || !environment("NO_COLOR").empty() || term.empty() ||
      term == "dumb") {
    return Colours::none;
  }
  const std::string depth = environment("COLORTERM");
  return depth == "truecolor" || depth == "24bit" ? Colours::full : Colours::palette;
}

}  // namespace yona
