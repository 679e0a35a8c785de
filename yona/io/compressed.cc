#include "yona/io/compressed.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "yona/base/error.h"

namespace yona {

namespace {

constexpr int kGzipWindow = 15 + 16;  // of zlib: the largest window, with the header of gzip
constexpr std::size_t kGzipPiece = std::size_t{1} << 30U;

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  check<Error>(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, 8,
                            Z_DEFAULT_STRATEGY) == Z_OK,
               "gzip: cannot compress");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  // zlib reads what next_in points to and never writes it.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  int status = Z_OK;
  while (status == Z_OK) {  // zlib counts what it may read and write in 32 bits
    const std::size_t unread = bytes.size() - stream.total_in;
    stream.avail_in = static_cast<uInt>(std::min(unread, kGzipPiece));
    stream.avail_out = static_cast<uInt>(std::min(out.size() - stream.total_out, kGzipPiece));
    status = deflate(&stream, unread <= kGzipPiece ? Z_FINISH : Z_NO_FLUSH);
  }
  out.resize(stream.total_out);
  deflateEnd(&stream);
  check<Error>(status == Z_STREAM_END, "gzip: cannot compress {} bytes", bytes.size());
  return out;
}

std::string xz(std::string_view bytes) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  const lzma_ret status =
      lzma_easy_buffer_encode(LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64, nullptr,
                              reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                              reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size());
  check<Error>(status == LZMA_OK, "xz: cannot compress {} bytes", bytes.size());
  out.resize(size);
  return out;
}

std::string zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), ZSTD_CLEVEL_DEFAULT);
  check<Error>(ZSTD_isError(size) == 0, "zstd: cannot compress {} bytes", bytes.size());
  out.resize(size);
  return out;
}

}  // namespace

std::string compressed_for(const std::filesystem::path& file, std::string_view bytes) {
  const std::string ending = file.extension().string();
  return ending == ".gz"    ? gzip(bytes)
         : ending == ".xz"  ? xz(bytes)
         : ending == ".zst" ? zstd(bytes)
                            : std::string(bytes);
}

}  // namespace yona
