#include "yona/inspect/png.h"

#include <dlfcn.h>

#include "yona/base/error.h"

namespace yona {

namespace {

using RenderPng = void (*)(const std::string& svg, double scale, std::string& png);

RenderPng find_renderer() {
  void* library = dlopen("libyona_png.so", RTLD_NOW | RTLD_LOCAL);
  check<NotImplemented>(library != nullptr,
                        "png: this build has no renderer (libyona_png.so): build with librsvg "
                        "installed (librsvg2-dev), or write --format svg");
  void* symbol = dlsym(library, "yona_render_png");
  check<NotImplemented>(symbol != nullptr,
                        "png: libyona_png.so does not belong to this version of yona: install both "
                        "from one build");
  return reinterpret_cast<RenderPng>(symbol);
}

}  // namespace

std::string png_of(const std::string& svg, double scale) {
  static const RenderPng render = find_renderer();
  std::string png;
  render(svg, scale, png);
  return png;
}

}  // namespace yona
