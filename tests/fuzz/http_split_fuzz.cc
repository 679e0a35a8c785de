// Any bytes on a connection, cut at random places: the reader finds the same requests, the same
// bodies and the same fault as when they come in one piece.
//
// The first eight bytes are the seed of the cuts, the rest is what comes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "yona/base/random.h"
#include "yona/serve/http_reader.h"

namespace {

using yona::serve::HttpReader;
using Found = HttpReader::Found;

// The requests that are found, as text; "!" in the end where something is wrong.
std::string requests_of(std::string_view bytes, const std::function<std::size_t()>& piece) {
  HttpReader reader({.header_bytes = 1000, .body_bytes = 1000});
  std::string all;
  reader.begin();
  while (true) {
    const Found found = reader.next();
    if (found == Found::wrong) {
      return all + "!" + std::to_string(reader.refusal().status);
    }
    if (found == Found::request) {
      const yona::serve::HttpRequest request = reader.take("");
      all += request.method + " " + request.path + "?" + request.query + "\n" +
             request.content_type + "\n" + request.body + "\n";
      reader.begin();
      continue;
    }
    if (found == Found::header) {
      continue;
    }
    if (bytes.empty()) {
      return all;
    }
    const auto room = reader.room();
    const std::size_t count = std::min({room.size(), bytes.size(), piece()});
    std::copy_n(bytes.data(), count, static_cast<char*>(room.data()));
    reader.add(count);
    bytes.remove_prefix(count);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t seed = 0;
  if (size < sizeof seed) {
    return 0;
  }
  std::memcpy(&seed, data, sizeof seed);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + sizeof seed,
                               size - sizeof seed);
  yona::RandomSequence random(seed);
  const std::string whole =
      requests_of(bytes, [] { return std::numeric_limits<std::size_t>::max(); });
  const std::string cut =
      requests_of(bytes, [&] { return 1 + random.below(1 + random.below(40)); });
  if (whole != cut) {
    std::abort();
  }
  return 0;
}
