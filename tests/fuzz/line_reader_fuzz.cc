// Any bytes, read as a corpus file: plain or an archive by its first bytes, then as TSV. Lines must
// add up, and a fault must be a FormatError; nothing else may happen.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "yona/base/error.h"
#include "yona/data/line_reader.h"
#include "yona/data/tsv.h"

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void read_everything(std::string_view bytes) {
  yona::LineReader reader(yona::open_bytes(bytes, "input"), "input");
  yona::LineReader::Line line;
  yona::TsvFields fields;
  const yona::TsvColumns columns{.source = 2, .target = 1, .weight = 3, .document = 4};
  std::uint64_t lines = 0;
  while (reader.next(line)) {
    require(++lines == reader.lines());
    require(line.text.size() <= yona::LineReader::kLongestLine);
    require(line.text.find('\n') == std::string_view::npos);
    if (yona::parse_tsv(line.text, columns, fields)) {
      require(fields.weight > 0);
      require(fields.source.data() >= line.text.data());
      require(fields.source.size() + fields.target.size() < line.text.size());
    }
  }
  require(reader.carriage_returns() <= lines && reader.byte_order_marks() <= 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    read_everything({reinterpret_cast<const char*>(data), size});
  } catch (const yona::FormatError&) {  // what a damaged archive is answered with
  }
  return 0;
}
