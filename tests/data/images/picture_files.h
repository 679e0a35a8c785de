// PNG and JPEG files for tests, made by the libraries themselves.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <jpeglib.h>
#include <png.h>
#include <string>
#include <vector>

namespace yona::testing {

// rows: bytes as libpng takes them; type is a PNG_COLOR_TYPE_…
inline std::string png_bytes(unsigned width, unsigned height, int depth, int type,
                             std::vector<std::string> rows, bool interlaced = false) {
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &bytes,
      [](png_structp each, png_bytep data, std::size_t count) {
        static_cast<std::string*>(png_get_io_ptr(each))
            ->append(reinterpret_cast<const char*>(data), count);
      },
      nullptr);
  png_set_IHDR(png, info, width, height, depth, type,
               interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  if (type == PNG_COLOR_TYPE_PALETTE) {
    const png_color palette[] = {{255, 0, 0}, {0, 128, 255}};
    const png_byte alpha[] = {255, 0};
    png_set_PLTE(png, info, palette, 2);
    png_set_tRNS(png, info, alpha, 2, nullptr);
  }
  std::vector<png_bytep> pointers;
  pointers.reserve(rows.size());
  for (std::string& row : rows) {
    pointers.push_back(reinterpret_cast<png_bytep>(row.data()));
  }
  png_set_rows(png, info, pointers.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

struct JpegOptions {
  J_COLOR_SPACE colours = JCS_RGB;
  int orientation = 0;  // EXIF; 0: none
  bool progressive = false;
};

inline std::string exif_of(int orientation) {
  return std::string("Exif\0\0MM\0\x2A\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 25) +
         static_cast<char>(orientation) + std::string(6, '\0');
}

// One row of pixels after another, quality 100 and no subsampling.
inline std::string jpeg_bytes(unsigned width, unsigned height, std::string pixels,
                              const JpegOptions& options = {}) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* memory = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): the library's type
  jpeg_mem_dest(&jpeg, &memory, &size);
  jpeg.image_width = width;
  jpeg.image_height = height;
  jpeg.in_color_space = options.colours;
  jpeg.input_components = options.colours == JCS_GRAYSCALE ? 1
                          : options.colours == JCS_CMYK    ? 4
                                                           : 3;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
  if (options.progressive) {
    jpeg_simple_progression(&jpeg);
  }
  jpeg_start_compress(&jpeg, TRUE);
  if (options.orientation > 0) {
    const std::string exif = exif_of(options.orientation);
    jpeg_write_marker(&jpeg, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(exif.data()),
                      static_cast<unsigned>(exif.size()));
  }
  const std::size_t line = pixels.size() / height;
  while (jpeg.next_scanline < height) {
    JSAMPROW row = reinterpret_cast<JSAMPROW>(pixels.data()) + jpeg.next_scanline * line;
    jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string bytes(reinterpret_cast<const char*>(memory), size);
  std::free(memory);  // NOLINT: malloc'ed by the library
  return bytes;
}

}  // namespace yona::testing
