// libyona_png.so: an SVG file of ours, painted by librsvg and Cairo. Letters come from the fonts of
// the machine, through Pango, which looks for another font where one lacks a character.

#include <cmath>
#include <librsvg/rsvg.h>
#include <memory>
#include <string>

#include "yona/base/error.h"

namespace {

constexpr double kLargestSide = 32000;  // Cairo's limit is 32,767

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Handle = std::unique_ptr<RsvgHandle, Free<g_object_unref>>;
using Surface = std::unique_ptr<cairo_surface_t, Free<cairo_surface_destroy>>;
using Painter = std::unique_ptr<cairo_t, Free<cairo_destroy>>;

void check_done(bool done, GError* error) {
  const std::unique_ptr<GError, Free<g_error_free>> owner(error);
  yona::check<yona::DeviceError>(done, "png: librsvg: {}",
                                 error != nullptr ? error->message : "unknown failure");
}

cairo_status_t append(void* png, const unsigned char* data, unsigned length) {
  static_cast<std::string*>(png)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void yona_render_png(const std::string& svg,
                                                                       double scale,
                                                                       std::string& png) {
  GError* error = nullptr;
  const Handle handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
  check_done(handle != nullptr, error);
  double width = 0;
  double height = 0;
  rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height);
  width = std::ceil(width * scale);
  height = std::ceil(height * scale);
  yona::check(width <= kLargestSide && height <= kLargestSide,
              "png: a picture of {:.0f} × {:.0f} pixels is too large, {:.0f} a side at most; write "
              "--format svg",
              width, height, kLargestSide);
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width),
                                                   static_cast<int>(height)));
  const Painter painter(cairo_create(surface.get()));
  const RsvgRectangle whole{0, 0, width, height};
  error = nullptr;
  check_done(rsvg_handle_render_document(handle.get(), painter.get(), &whole, &error) != FALSE,
             error);
  yona::check<yona::DeviceError>(
      cairo_surface_write_to_png_stream(surface.get(), append, &png) == CAIRO_STATUS_SUCCESS,
      "png: the picture could not be written");
}
