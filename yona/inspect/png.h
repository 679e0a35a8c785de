// Figures as PNG. The renderer, librsvg, is opened only here: with its fonts and images it is some
// thirty libraries, which no other command should wait for.
#pragma once

#include <string>

namespace yona {

// The picture of an SVG file at `scale` pixels for each of its own. Throws NotImplemented when
// this build has no renderer, InvalidArgument when the picture would be too large.
std::string png_of(const std::string& svg, double scale = 2.0);

}  // namespace yona
