// Any bytes given as the tab-separated file of a classification or regression: texts with a label
// each, which has a number among the labels, or FormatError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "yona/base/error.h"
#include "yona/data/labelled_texts.h"
#include "yona/text/utf8.h"

#include "tests/fuzz/memory_file.h"

namespace {

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void use(const yona::LabelledFile& file, yona::LabelSet::Kind kind) {
  const yona::LabelSet labels = yona::LabelSet::of({file}, kind);
  for (const yona::LabelledText& text : file.texts) {
    require(yona::is_utf8(text.first) && yona::is_utf8(text.second.value_or("")));
    if (labels.is_regression()) {
      labels.number(text, file.name);
      continue;
    }
    const auto id = static_cast<std::size_t>(labels.id(text, file.name));
    require(labels.names().at(id) == text.label);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Kind = yona::LabelSet::Kind;
  static yona::testing::MemoryFile file;
  file.set(data, size);
  for (const Kind kind : {Kind::detect, Kind::classes, Kind::numbers}) {
    try {
      use(yona::read_labelled_texts(file.path()), kind);
    } catch (const yona::FormatError&) {  // the other allowed answer
    }
  }
  return 0;
}
