// Any bytes on a connection, in pieces of any size: the reader finds requests or says what is
// wrong, comes to an end, and finds the same however the bytes are cut.
//
// The first byte is the size of the pieces, the rest is what comes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "yona/serve/http_reader.h"

namespace {

using yona::serve::HttpReader;
using Found = HttpReader::Found;

// The requests that are found, as text; "!" and a status in the end where something is wrong.
std::string requests_of(std::string_view bytes, std::size_t at_a_time) {
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
      all += request.method + " " + request.path + "\n" + request.body + "\n";
      reader.begin();
      continue;
    }
    if (found == Found::header) {
      all += reader.expects_continue() || reader.frame().has_only_head ? "*" : "";
      continue;
    }
    if (bytes.empty()) {
      return all;
    }
    const auto room = reader.room();
    const std::size_t count = std::min({room.size(), bytes.size(), at_a_time});
    std::copy_n(bytes.data(), count, room.data());
    reader.add(count);
    bytes.remove_prefix(count);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string found = requests_of(bytes, 1 + std::size_t{data[0]});
  if (found != requests_of(bytes, bytes.size() + 1)) {
    std::abort();
  }
  return 0;
}
