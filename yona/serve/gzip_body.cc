#include "yona/serve/gzip_body.h"

#include <algorithm>
#include <new>
#include <vector>

#include <zlib.h>

#include "yona/serve/http.h"

namespace yona::serve {

namespace {

constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's header and checksum
constexpr std::size_t kInflatedPiece = 65536;

struct Inflater {
  Inflater() {
    if (::inflateInit2(&stream, kGzipWindow) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Inflater() { ::inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream{};
};

[[noreturn]] void refuse_gzip(const char* what) {
  throw HttpError(400, fmt::format("Content-Encoding: the body is not gzip: {}", what));
}

}  // namespace

std::string gunzipped(std::string_view packed, std::size_t most) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // NOLINT: zlib's
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string plain;
  std::vector<char> piece(std::min(kInflatedPiece, most + 1));
  while (true) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    plain.append(piece.data(), piece.size() - stream.avail_out);
    if (plain.size() > most) {
      throw HttpError(413, fmt::format("the body is larger than the {} bytes that are allowed, "
                                       "decompressed",
                                       most));
    }
    if (result == Z_STREAM_END && stream.avail_in == 0) {
      return plain;
    }
    if (result == Z_STREAM_END) {  // another member follows (RFC 1952, 2.2)
      ::inflateReset(&stream);
    } else if (result == Z_BUF_ERROR ||
               (result == Z_OK && stream.avail_in == 0 && stream.avail_out > 0)) {
      refuse_gzip("it is cut short");
    } else if (result != Z_OK) {
      refuse_gzip(stream.msg != nullptr ? stream.msg : "it is damaged");
    }
  }
}

}  // namespace yona::serve
